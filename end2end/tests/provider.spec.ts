import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { Program } from '../support/program.ts';
import { CLIENT, Provider } from '../support/provider.ts';
import { expect, expectAccessible, expectAccessibleInBoth, test as base } from '../support/reprieve.ts';

const config = (issuer: string) => `
[oidc]
issuer = "${issuer}"
client_id = "${CLIENT}"
label = "Example SSO"

[[oidc.group]]
name = "jobs-admins"
role = "admin"

[[oidc.group]]
name = "jobs-support"
role = "support"
queues = ["mail", "sms"]
`;

/** A program whose people come by a provider. Called `localhost`, it is another site than that, as they usually are. */
const test = base.extend<object, { house: string }>({
  house: [
    async ({}, use) => {
      const provider = await Provider.start();
      const file = join(await mkdtemp(join(tmpdir(), 'rpv-oidc-')), 'reprieve.toml');
      await writeFile(file, config(provider.issuer));
      const program = await Program.start('serve', '--login', 'required', '--config', file);
      await use(program.address.replace('127.0.0.1', 'localhost'));
      await program.stop();
      await provider.stop();
      expect(program.log(), 'the program panicked').not.toContain('panicked');
    },
    { scope: 'worker' },
  ],
});

/** Leaves the page to sign in by its button, and comes back as somebody. */
async function comesAs(page: Page, who: string, button = 'Sign in with Example SSO'): Promise<void> {
  await page.getByRole('link', { name: button }).click();
  await expect(page, 'at the provider').toHaveTitle('Example SSO');
  await page.getByRole('link', { name: who, exact: true }).click();
}

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    // A page that still asks for its stream while somebody signs out is refused it, and is refused again when it asks why.
    test.use({ javaScriptEnabled: scripts, expectedComplaints: /401 \(Unauthorized\) \(.*\/(events|api\/fn\/whoami\??)\)/ });

    test('somebody comes in by the provider to the page they wanted, and is what their group says', async ({ page, house }) => {
      await page.goto(`${house}/account`);
      await expect(page.getByRole('heading', { name: 'Sign in', level: 1 })).toBeVisible();
      await comesAs(page, 'Continue as sam');
      await expect(page, 'the page they wanted').toHaveURL(`${house}/account`);
      await expect(page.locator('.account-who')).toHaveText('sam · Support · mail, sms');
      await expect(page.getByText('An outside provider signs you in.')).toBeVisible();
      await expect(page.getByLabel('Current password')).toHaveCount(0);

      await page.getByRole('button', { name: 'Sign out' }).click();
      await expect(page.getByText('You are signed out')).toBeVisible();
      await page.goto(`${house}/account`);
      await expect(page, 'out is out').toHaveURL(/\/login\?next=/);
    });

    test('what is hard to take back asks the provider once more', async ({ page, house }) => {
      await page.goto(`${house}/people`);
      await comesAs(page, 'Continue as ada');
      await expect(page).toHaveURL(`${house}/people`);
      await page.getByLabel('Name', { exact: true }).first().fill(`bob-${scripts}`);
      await page.getByRole('button', { name: 'Add and show the link' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm that it is you');
      if (scripts) await expectAccessible(page);
      await comesAs(page, 'Continue as ada', 'Confirm with Example SSO');
      await expect(page.locator('.form-outcome')).toHaveText('Confirmed. Do it again now.');

      await page.getByLabel('Name', { exact: true }).first().fill(`bob-${scripts}`);
      await page.getByRole('button', { name: 'Add and show the link' }).click();
      await expect(page.getByText(/\/welcome\?/)).toBeVisible();
    });

    for (const [locale, refused, denied] of [
      ['en-GB', 'you are in no group that may come in here', 'The provider did not let you in. Try again, or ask an admin.'],
      ['zh-CN', '您不属于任何可以进入这里的组', '身份提供方没有让您登录。请重试，或联系管理员。'],
    ] as const) {
      test.describe(locale, () => {
        test.use({ locale });

        test('a person who may not come in is told why, and can try again', async ({ page, house }) => {
          const button = locale === 'en-GB' ? 'Sign in with Example SSO' : '使用 Example SSO 登录';
          await page.goto(`${house}/jobs/dead`);
          await comesAs(page, 'Continue as tom', button);
          await expect(page.getByRole('alert')).toContainText(refused);
          if (scripts) await expectAccessible(page);
          await comesAs(page, 'Cancel', button);
          await expect(page.getByRole('alert')).toContainText(denied);
          await comesAs(page, 'Continue as ada', button);
          await expect(page, 'what they wanted is not forgotten').toHaveURL(`${house}/jobs/dead`);
        });
      });
    }
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('the page to sign in fits and is accessible', async ({ page, house }) => {
    await page.goto(`${house}/login?said=account.oidc_group`);
    await expectAccessibleInBoth(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
    const button = await page.getByRole('link', { name: 'Sign in with Example SSO' }).boundingBox();
    expect(button?.height, 'a finger finds it').toBeGreaterThanOrEqual(32);
  });
});
