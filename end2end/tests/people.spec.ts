import { houseTest as test } from '../support/house.ts';
import { invite, PASSWORD, signIn } from '../support/people.ts';
import { alive, expect, expectAccessible, open } from '../support/reprieve.ts';

test('what is wrong with a form stands at its field, and what was typed stays', async ({ page, browser, house }) => {
  await signIn(page, house);
  const theirs = await (await browser.newContext()).newPage();
  await invite(page, theirs, house.address, 'vic', 'viewer');
  await theirs.context().close();
  await open(page, `${house.address}/people`);

  await page.locator('#new-name').fill('Zoë');
  await page.locator('#new-role').selectOption('operator');
  await page.locator('#new-queues').fill('mail');
  await page.getByRole('button', { name: 'Add and show the link' }).click();
  const outcome = page.locator('.form-outcome');
  await expect(outcome).toContainText('“ë” does not fit in a name');
  await expect(page.locator('#new-name')).toBeFocused();
  await expect(page.locator('#new-name')).toHaveAccessibleDescription(/“ë” does not fit/);
  await expect(page.locator('#new-name'), 'what was typed stays').toHaveValue('Zoë');
  await expect(page.locator('#new-role')).toHaveValue('operator');
  await expect(page.locator('#new-queues')).toHaveValue('mail');
  await expectAccessible(page);

  // What is folded away is opened, and of several forms alike it is the one that was sent.
  await page.getByRole('listitem').filter({ hasText: 'vic' }).locator('summary').click();
  await page.locator('#queues-vic').fill('mail a/b');
  await page.locator('#queues-vic').press('Enter');
  await expect(outcome).toContainText('“a/b” is not the name of a queue');
  await expect(page.locator('#queues-vic')).toBeFocused();
  await expect(page.locator('#queues-vic')).toHaveValue('mail a/b');

  await page.getByText('Make a token').click();
  await page.getByLabel('Name of the token').fill('nothing');
  await page.getByRole('button', { name: 'Make it and show it' }).click();
  await expect(outcome).toHaveText('A token that may do nothing opens nothing. Tick at least one right.');
  await expect(page.getByLabel('Name of the token')).toHaveValue('nothing');
});

test('leaving a form that was begun asks first, and may be cancelled', async ({ page, house }) => {
  await signIn(page, house);
  await open(page, `${house.address}/people`);
  const questions: string[] = [];
  let isStaying = true;
  page.on('dialog', (dialog) => {
    questions.push(dialog.type());
    return isStaying ? dialog.dismiss() : dialog.accept();
  });
  const away = page.getByRole('navigation').getByRole('link', { name: 'Redis' }).first();

  await page.getByLabel('Name', { exact: true }).fill('sue');
  await away.click();
  await expect.poll(() => questions).toEqual(['beforeunload']);
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('sue');

  // What changed nothing, and what is sent, is not asked about.
  await page.getByLabel('Name', { exact: true }).fill('');
  await away.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Redis');
  await open(page, `${house.address}/people`);
  await page.getByLabel('Name', { exact: true }).fill('sue');
  await page.getByRole('button', { name: 'Add and show the link' }).click();
  await expect(page.getByRole('heading', { name: 'The link for sue' })).toBeVisible();
  expect(questions).toEqual(['beforeunload']);

  // Of two forms one is sent, and the other is left.
  isStaying = false;
  await open(page, `${house.address}/people`);
  await page.getByLabel('Name', { exact: true }).fill('pat');
  await page.getByText('Make a token').click();
  await page.getByLabel('Name of the token').fill('feeder');
  await page.getByRole('button', { name: 'Add and show the link' }).click();
  await expect(page.getByRole('heading', { name: 'The link for pat' })).toBeVisible();
  expect(questions).toEqual(['beforeunload', 'beforeunload']);
});

test('what was typed waits while somebody shows who they are', async ({ page, house }) => {
  await signIn(page, house);
  await open(page, `${house.address}/people`);
  await page.locator('#new-name').fill('sue');
  await page.locator('#new-role').selectOption('support');
  const longAgo = "local keys = redis.call('KEYS', '*:session:*') for _, key in ipairs(keys) do redis.call('HSET', key, 'proved_ms', '1') end return #keys";
  expect(Number(await house.redis('EVAL', longAgo, '0')), 'sessions whose proof is old by now').toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Add and show the link' }).click();
  await expect(page.getByRole('heading', { name: 'Confirm that it is you' })).toBeVisible();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.locator('.form-outcome')).toHaveText('Confirmed. Do it again now.');
  await expect(page.locator('#new-name')).toHaveValue('sue');
  await expect(page.locator('#new-role')).toHaveValue('support');
  await page.getByRole('button', { name: 'Add and show the link' }).click();
  await expect(page.getByRole('heading', { name: 'The link for sue' })).toBeVisible();
});

test('what was typed stays when a form is not looked at, for it comes too often', async ({ page, house }) => {
  await signIn(page, house);
  await open(page, `${house.address}/people`);
  for (let n = 0; n < 60; n++) {
    const headers = { origin: house.address, accept: 'application/json' };
    await page.request.post(`${house.address}/api/fn/pause_queue`, { form: { queue: 'mail' }, headers });
  }
  await page.locator('#new-name').fill('sue');
  await page.locator('#new-role').selectOption('support');
  await page.getByRole('button', { name: 'Add and show the link' }).click();
  await expect(page.locator('.form-outcome')).toContainText('That was too much in a short time.');
  await expect(page).toHaveURL(/\/people$/);
  await expect(page.locator('#new-name')).toHaveValue('sue');
  await expect(page.locator('#new-role')).toHaveValue('support');
});

test('tokens tell what they may do and whose they are, and a person who is removed leaves none behind', async ({ page, browser, house }) => {
  await signIn(page, house);
  const theirs = await (await browser.newContext()).newPage();
  await invite(page, theirs, house.address, 'olli', 'operator');
  for (const [who, name] of [[theirs, 'feeder'], [page, 'mine']] as const) {
    await open(who, `${house.address}/people`);
    await who.getByText('Make a token').click();
    await who.getByLabel('Name of the token').fill(name);
    await who.locator('fieldset').getByText('view', { exact: true }).click();
    await who.getByRole('button', { name: 'Make it and show it' }).click();
    await expect(who.getByRole('heading', { name: `The token ${name}` })).toBeVisible();
  }
  await open(page, `${house.address}/people`);
  const tokens = page.getByRole('region', { name: 'API tokens' }).getByRole('table');
  await expect(tokens.getByRole('row').filter({ hasText: 'feeder' })).toContainText(/view.*every queue.*olli.*never/);

  const line = page.getByRole('listitem').filter({ hasText: 'olli' });
  await line.locator('summary').click();
  await line.getByRole('button', { name: 'Remove', exact: true }).click();
  const asked = page.getByRole('dialog', { name: 'Remove olli' });
  await expect(asked.getByRole('button', { name: 'Keep olli' }), 'nothing happens by mistake').toBeFocused();
  await expect(asked.getByLabel('Revoke the token that they made as well: feeder')).toBeChecked();
  await expectAccessible(page);
  await asked.getByLabel('Reason').fill('left the company');
  await asked.getByLabel('Reason').press('Enter');
  await expect(asked, 'only its button does what cannot be taken back').toBeVisible();
  await asked.getByRole('button', { name: 'Remove olli' }).click();
  await expect(page.locator('.form-outcome')).toHaveText('Removed.');
  await alive(page);
  await expect(tokens.getByRole('row').filter({ hasText: 'feeder' })).toHaveCount(0);
  await expect(tokens.getByRole('row').filter({ hasText: 'mine' })).toHaveCount(1);

  await tokens.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('dialog', { name: 'Revoke mine' }).getByRole('button', { name: 'Revoke mine' }).click();
  await expect(page.locator('.form-outcome')).toHaveText('The token opens nothing any more.');
  await expect(page.getByText('There are none.')).toBeVisible();
  await theirs.context().close();
});

test('what is wrong with a new password stands at its field, and what came of a form is heard', async ({ page, house }) => {
  await signIn(page, house);
  await open(page, `${house.address}/account`);
  const outcome = page.locator('.form-outcome');
  const again = page.locator('#again');
  await expect(page.locator('#wanted')).toHaveAccessibleDescription(/At least 12 characters/);
  const change = async (repeated: string) => {
    await page.locator('#present').fill(PASSWORD);
    await page.locator('#wanted').fill('five words that nobody guesses');
    await again.fill(repeated);
    await again.press('Enter');
  };
  await change('five other words');
  await expect(outcome).toHaveText('The two passwords are not the same.');
  await alive(page);
  await expect(again).toBeFocused();
  await expect(again).toHaveAttribute('aria-invalid', 'true');
  await expect(again).toHaveAccessibleDescription('The two passwords are not the same.');
  await expect(page.getByTestId('voice'), 'it is read out with the field').toHaveText('');

  await change('five words that nobody guesses');
  await expect(outcome).toHaveText('Your password is changed, and your other sessions have ended.');
  await expect(page.getByTestId('voice')).toHaveText('Your password is changed, and your other sessions have ended.');
});
