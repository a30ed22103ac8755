import { Api } from '../support/api.ts';
import { Program } from '../support/program.ts';
import { expect, expectAccessible, expectAccessibleInBoth, test as base, unique } from '../support/reprieve.ts';
import { Screens } from '../support/screens.ts';

/** A program whose namespace is where real customers are. */
const test = base.extend<{ place: Program }>({
  place: async ({ context }, use) => {
    const program = await Program.start('serve');
    await new Api(program.address).call('POST', '/settings/look', { value: { environment: 'production' } });
    await use(program);
    // Before their server, whose absence they would notice.
    for (const page of context.pages()) await page.close();
    await program.stop();
    expect(program.log(), 'the program panicked').not.toContain('panicked');
  },
});

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts, expectedComplaints: /status of 4/ });

    test('a single job is cancelled with a whole reason and deleted by its id', async ({ page, place }) => {
      test.slow();
      const screens = new Screens(page, place.address);
      const api = new Api(place.address);
      const { id } = await api.enqueue({ kind: 'k', id: unique('one.job'), queue: 'mail', delay_ms: 3_600_000 });
      const look = async () => { if (scripts) await screens.job(id); else await page.goto(`${place.address}/job/${id}`); };
      await look();
      await screens.openCancel();
      const dialog = screens.dialog();
      await expect(dialog).toContainText('at least 10 characters: this is production');
      if (scripts) {
        await expect(dialog.getByRole('button', { name: 'Keep job' }), 'it begins with what changes nothing').toBeFocused();
        await expectAccessibleInBoth(page);
      }
      const reason = dialog.getByLabel('Reason');
      await expect(reason, 'nothing is chosen for anybody').toHaveValue('');
      await dialog.getByRole('button', { name: 'Cancel job' }).click();
      expect(await reason.evaluate((field: HTMLSelectElement) => field.validity.valueMissing)).toBe(true);
      await dialog.getByLabel('Note').fill('too short');
      await screens.confirm('Cancel job', 'other');
      if (scripts) {
        await expect(dialog.getByLabel('Note'), 'a word is no reason').toHaveAccessibleDescription(/at least 10 characters/);
      } else {
        await expect(page.getByText(/^A reason has at least 10 characters/)).toBeVisible();
      }
      expect((await api.job(id)).state).toBe('delayed');
      if (!scripts) await screens.openCancel();
      await dialog.getByLabel('Note').fill('');
      await screens.confirm('Cancel job', 'Duplicate');
      await expect(screens.state()).toHaveText(/Cancelled/);

      await page.getByRole('button', { name: 'More to do with this job' }).click();
      await page.getByRole('button', { name: 'Delete permanently' }).first().click();
      const last = page.getByRole('dialog', { name: 'Delete this job permanently' });
      const typed = last.getByLabel(`Type ${id} to go on`);
      const destroy = last.getByRole('button', { name: 'Delete permanently' });
      await last.getByLabel('Reason').selectOption('Customer asked');
      await typed.fill('another');
      await destroy.click();
      expect(await typed.evaluate((field: HTMLInputElement) => field.validity.patternMismatch)).toBe(true);
      if (scripts) await expectAccessible(page);
      await typed.fill(id);
      await destroy.click();
      await expect.poll(async () => (await fetch(`${place.address}/api/v1/jobs/${id}`)).status).toBe(404);
    });
  });
}
