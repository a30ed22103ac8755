import { expect, open, test, unique } from '../support/reprieve.ts';

/** The side of a picture here, in pixels: twice its size on screen. */
const SIDE = 32;
/** Of what is drawn in either of two pictures, so much is not in the other. */
const DIFFERENT_MIN = 0.15;

test('without colours every state is told by its picture and its word', async ({ page, context, reprieve }) => {
  const [queue, stopped] = [unique('grey'), unique('grey')];
  await reprieve.api.pause(stopped);
  const later = { kind: 'ok.grey', queue, delay_ms: 3_600_000 };
  const jobs = await reprieve.api.enqueueMany([
    { kind: 'hold.grey', queue },
    // Early, so that it is looked at before a worker tries it again.
    { kind: 'fail.grey', queue, max_attempts: 9 },
    later,
    later,
    later,
    { kind: 'fatal.grey', queue },
    { kind: 'ok.grey', queue },
    { kind: 'ok.grey', queue: stopped },
  ]);
  const ids = jobs.map(({ id }) => id);
  await reprieve.api.cancel(ids[2] ?? '');
  await reprieve.api.hold(ids[3] ?? '');
  const states = ['active', 'cancelled', 'dead', 'delayed', 'done', 'held', 'ready', 'retrying'];
  const now = async () => (await Promise.all(ids.map((id) => reprieve.api.job(id)))).map(({ state }) => state).sort();
  await expect.poll(now, { timeout: 60_000 }).toEqual(states);

  const badges = new Map<string, { word: string; picture: string }>();
  // Again while the one that is retried runs at the moment its page is opened.
  await expect(async () => {
    badges.clear();
    for (const id of ids) {
      await open(page, reprieve.url(`/job/${id}`));
      // At one glance: the next may be at another state.
      const { state, ...told } = await page.locator('.job-head .badge').first().evaluate((badge) => ({
        state: badge.getAttribute('data-state') ?? '',
        word: badge.querySelector<HTMLElement>('svg + span')?.innerText ?? '',
        picture: badge.querySelector('path')?.getAttribute('d') ?? '',
      }));
      badges.set(state, told);
    }
    expect([...badges.keys()].sort()).toEqual(states);
  }).toPass({ timeout: 60_000 });
  expect(new Set([...badges.values()].map(({ word }) => word)).size, 'words').toBe(badges.size);

  // Drawn on a page of its own, in one grey: what is left is the shape.
  const sheet = await context.newPage();
  const alike = await sheet.evaluate(
    async ({ pictures, side, least }) => {
      const drawn = await Promise.all(
        pictures.map(async ([state, lines]) => {
          const image = new Image();
          image.src = `data:image/svg+xml,${encodeURIComponent(
            `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 16 16"><path d="${lines}" fill="none" stroke="#777" stroke-width="1.5"/></svg>`,
          )}`;
          await image.decode();
          const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
          const brush = canvas.getContext('2d');
          brush?.drawImage(image, 0, 0);
          return { state, pixels: brush?.getImageData(0, 0, side, side).data ?? new Uint8ClampedArray() };
        }),
      );
      const differ = (a: Uint8ClampedArray, b: Uint8ClampedArray) => {
        let [drawn, different] = [0, 0];
        // The fourth of four: how much of the grey is there.
        for (let at = 3; at < a.length; at += 4) {
          const [here, there] = [(a[at] ?? 0) > 128, (b[at] ?? 0) > 128];
          if (here || there) drawn += 1;
          if (here !== there) different += 1;
        }
        return drawn === 0 ? 0 : different / drawn;
      };
      return drawn.flatMap((a, at) =>
        drawn
          .slice(at + 1)
          .map((b) => ({ pair: `${a.state} and ${b.state}`, share: differ(a.pixels, b.pixels) }))
          .filter(({ share }) => share < least),
      );
    },
    { pictures: [...badges].map(([state, { picture }]) => [state, picture] as const), side: SIDE, least: DIFFERENT_MIN },
  );
  expect(alike).toEqual([]);
  reprieve.receiver.release();
});
