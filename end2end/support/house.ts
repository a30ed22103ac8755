import { Program } from './program.ts';
import { expect, test } from './reprieve.ts';

/** For tests with a program that asks people to sign in, one each; jobs are put in without. */
export const houseTest = test.extend<{ house: Program }>({
  house: async ({ context }, use) => {
    const program = await Program.start('serve', '--login', 'required', '--api-auth', 'off');
    await use(program);
    // Before their server, whose absence they would notice.
    for (const page of context.pages()) await page.close();
    await program.stop();
    expect(program.log(), 'the program panicked').not.toContain('panicked');
  },
});
