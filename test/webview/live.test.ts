import assert from 'node:assert/strict';
import { screenshot } from './usePage';
import { readingPlace, rowsInSight, scrollTop, settled } from './probe';
import { usePanels } from './usePanels';

describe('A conversation that changes while it is open', () => {
  const open = usePanels();

  it('is followed at its end, and announces new replies to screen readers', async () => {
    const { page } = await open({ count: 100, live: '' });
    await settled(page);
    await page.evaluate(() => {
      window.fake.append(7);
    });
    await page.locator('.item[data-index="106"]').waitFor();
    await settled(page);
    assert.equal((await rowsInSight(page)).at(-1)?.index, 106);
    assert.match(await page.locator('[data-live-region]').innerText(), /^Claude: /);
    assert.equal(await page.locator('.to-end').count(), 0);
    await screenshot(page, 'live');
  });

  it('lists new prompts while rows arrive faster than the list is requested', async () => {
    const { page } = await open({ count: 100, live: '', viewport: { width: 1200, height: 700 } });
    const count = page.locator('.outline-count');
    await count.getByText('10', { exact: true }).waitFor();
    await page.evaluate(() => {
      const timer = setInterval(() => {
        window.fake.append(10);
        if (Number(document.querySelector('.outline-count')?.textContent) > 10) clearInterval(timer);
      }, 100);
    });
    await count.getByText('10', { exact: true }).waitFor({ state: 'detached', timeout: 10_000 });
  });

  it('keeps the reading position above the end, and shows how many rows were added', async () => {
    const { page } = await open({ count: 100, at: 50 });
    await settled(page);
    const before = await readingPlace(page);
    for (let times = 0; times < 5; times++) {
      await page.evaluate(() => {
        window.fake.append(3);
      });
    }
    const button = page.getByRole('button', { name: '15 new: go to the end' });
    await button.waitFor();
    await settled(page);
    assert.deepEqual(await readingPlace(page), before);
    await screenshot(page, 'new-items');
    await button.click();
    await page.locator('.item[data-index="114"]').waitFor();
    await settled(page);
    assert.equal((await rowsInSight(page)).at(-1)?.index, 114);
    assert.equal(await button.count(), 0);
  });

  it('keeps the reading position when rows are inserted before it', async () => {
    const { page } = await open({ count: 300, at: 150 });
    await settled(page);
    const before = await readingPlace(page);
    await page.evaluate(() => {
      window.fake.insertBefore(37);
    });
    await page.locator(`.item[data-index="${before.index + 37}"]`).waitFor();
    await settled(page);
    const after = await readingPlace(page);
    assert.deepEqual(after, { ...before, index: before.index + 37 });
  });

  it('shows no way to the end where the end is in sight', async () => {
    const { page } = await open({ count: 3, at: 1 });
    await settled(page);
    assert.equal(await page.locator('.to-end').count(), 0);
    const far = await open({ count: 60, at: 1, viewport: { width: 1400, height: 700 } });
    const box = await far.page.locator('.to-end').boundingBox();
    const column = await far.page.locator('.item > .column').first().boundingBox();
    assert.ok(box!.x >= column!.x + column!.width, 'it is beside the column where there is room');
  });

  it('shows no way to the end once the end of the last row is in sight, above the space below it', async () => {
    const { page } = await open({ count: 60, at: 1 });
    await settled(page);
    await scrollTop(page, 'end');
    await settled(page);
    await page.mouse.move(400, 400);
    await page.mouse.wheel(0, -30);
    await settled(page);
    const below = await page.evaluate(
      () =>
        document.querySelector('.scroller')!.getBoundingClientRect().bottom -
        [...document.querySelectorAll('.item')].at(-1)!.getBoundingClientRect().bottom,
    );
    assert.ok(below > 0 && below < 20, `${below}`);
    assert.equal(await page.locator('.to-end').count(), 0);
    await page.mouse.wheel(0, -60);
    await page.locator('.to-end').waitFor();
  });

  it('counts nothing as new after the undo of a repair, which adds a break but no row', async () => {
    const { page } = await open({ count: 300, at: 250 });
    await settled(page);
    await page.evaluate(() => {
      window.fake.undoRepair(200);
    });
    await page.locator('.item[aria-setsize="301"]').first().waitFor();
    await settled(page);
    assert.equal(await page.locator('.to-end').innerText(), '');
    await page.evaluate(() => {
      window.fake.append(2);
    });
    await page.getByRole('button', { name: '2 new: go to the end' }).waitFor();
  });

  it('reports that the transcript was truncated, and continues with the rest', async () => {
    const { page } = await open({ count: 300, at: 250 });
    await settled(page);
    await page.evaluate(() => {
      window.fake.truncate(40);
    });
    const banner = page.getByRole('alert');
    await banner.getByText('The transcript was cut or replaced').waitFor();
    await page.locator('.item[data-index="39"]').waitFor();
    await settled(page);
    assert.equal((await rowsInSight(page)).at(-1)?.index, 39);
    await banner.getByRole('button', { name: 'Dismiss' }).click();
    assert.equal(await banner.count(), 0);
  });

  it('reports that another file, even a longer one, replaced the transcript, and counts no row as new', async () => {
    const { page } = await open({ count: 100, at: 50 });
    await settled(page);
    await page.evaluate(() => {
      window.fake.replace(130);
    });
    const banner = page.getByRole('alert');
    await banner.getByText('The transcript was cut or replaced').waitFor();
    await page.evaluate(() => {
      window.fake.append(2);
    });
    await page.getByRole('button', { name: '2 new: go to the end' }).waitFor();
    assert.equal(await banner.count(), 1);
  });

  it('reports that the transcript was deleted, and keeps what was read of it until it is there again', async () => {
    const { page } = await open({ count: 400, at: 200 });
    await settled(page);
    const texts = () => page.locator('.item[data-index]').allTextContents();
    const before = await texts();
    await page.evaluate(() => {
      window.fake.remove('The transcript was deleted.');
    });
    const alert = page.getByRole('alert');
    await alert.getByText('The transcript was deleted. What was already read is still shown.').waitFor();
    assert.deepEqual(await texts(), before);
    assert.equal(await page.getByRole('button', { name: 'Resume' }).count(), 0);
    await page.getByRole('button', { name: 'View: Current thread' }).click();
    await page.getByRole('menuitemradio', { name: 'Whole file' }).click();
    await page.getByText('That could not be done: The transcript was deleted.').waitFor();
    assert.deepEqual(await texts(), before);
    await page.evaluate(() => {
      window.fake.bringBack(402);
    });
    await alert.getByText('The transcript was deleted.').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '2 new: go to the end' }).click();
    await page.locator('.item[data-index="401"]').waitFor();
  });

  it('continues when the worker was restarted and counts revisions from the beginning', async () => {
    const { page } = await open({ count: 100, live: '' });
    for (const last of [100, 101]) {
      await page.evaluate(() => {
        window.fake.restart();
      });
      await page.locator(`.item[data-index="${last}"]`).waitFor();
    }
    await page.evaluate(() => {
      window.fake.append(2);
    });
    await page.locator('.item[data-index="103"]').waitFor();
  });

  it('reports that the worker has given up, keeps what it shows, and lets the person retry', async () => {
    const { page } = await open({ count: 400 });
    await settled(page);
    await page.evaluate(() => {
      window.fake.stop();
    });
    const alert = page.getByRole('alert');
    await alert.getByText('Nobody reads the transcripts.').waitFor();
    await page.keyboard.press('Home');
    await page.locator('.skeleton').first().waitFor();
    // What could not be loaded shows no other message.
    assert.equal(await alert.count(), 1);
    await page.keyboard.press('End');
    await page.locator('.item[data-index="399"]').waitFor();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.item[data-index="400"]').waitFor();
    assert.equal(await alert.count(), 0);
  });

  it('says in one dim line after the last row when the session was found again, also while it is open', async () => {
    const [now, { page }] = [Date.now(), await open({ count: 100, live: '' })];
    await settled(page);
    const line = page.locator('.reconnected');
    const [before, count] = [await rowsInSight(page), await line.count()];
    await page.evaluate((atMs) => {
      window.fake.reconnect(atMs);
    }, now);
    await line.waitFor();
    await settled(page);
    const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(now);
    assert.deepEqual([count, await line.innerText()], [0, `Reconnected at ${clock}`]);
    assert.deepEqual(await rowsInSight(page), before, 'no row has moved');
    await page.evaluate(() => {
      window.fake.append(3);
    });
    const last = page.locator('.item[data-index="102"]');
    await last.waitFor();
    await settled(page);
    const [row, box] = [await last.boundingBox(), await line.boundingBox()];
    assert.ok(row !== null && box !== null && box.y >= row.y + row.height, 'it is below the newest row');
    assert.ok(
      await page
        .locator('.scroller')
        .evaluate((list, bottom) => bottom <= list.getBoundingClientRect().bottom + 1, box.y + box.height),
    );
    await screenshot(page, 'reconnected');
  });

  it('says so in a panel that is opened later, and takes the line for no part of the conversation', async () => {
    const { page } = await open({ count: 3, reconnected: Date.UTC(2026, 2, 2, 10, 42) });
    const line = page.locator('.reconnected');
    await line.waitFor();
    await settled(page);
    assert.match(await line.innerText(), /^Reconnected at 2 Mar, /);
    assert.deepEqual(await page.locator('.item').evaluateAll((items) => items.map((item) => item.ariaSetSize)), [
      '3',
      '3',
      '3',
    ]);
    await page.keyboard.press('Control+f');
    await page.locator('.find-input').fill('Reconnected');
    await page.getByText('No results').waitFor();
    const copied = await page.evaluate(() => {
      const selection = getSelection();
      selection?.selectAllChildren(document.body);
      return selection?.toString() ?? '';
    });
    assert.match(copied, /Claude/);
    assert.doesNotMatch(copied, /Reconnected/);
    await screenshot(page, 'reconnected-short');
  });

  it('scrolls to the row that a link names, and marks it', async () => {
    const { page } = await open({ count: 1000, reveal: 321 });
    await page.locator('.item.is-marked[data-index="320"]').waitFor();
    await settled(page);
    assert.ok((await rowsInSight(page)).some(({ index }) => index === 320));
  });

  for (const sent of ['early', 'missed'] as const) {
    it(`starts with what was sent without being asked for, and goes where the person went meanwhile: ${sent}`, async () => {
      const { page } = await open({ count: 1000, sent, reveal: 321 });
      await page.locator('.item.is-marked[data-index="320"]').waitFor();
      await settled(page);
      assert.ok((await rowsInSight(page)).some(({ index }) => index === 320));
      assert.equal(await page.locator('.panel').count(), 1);
    });
  }

  it('offers the repair that the person has asked for while the page was loaded', async () => {
    const { page } = await open({ count: 60, scenario: 'broken', sent: 'early', offersRepair: '' });
    await page.getByRole('button', { name: 'Reconnect' }).and(page.locator(':focus')).waitFor();
  });

  for (const [what, line, sought, index] of [
    ['the output of a folded call', 9000, 'needle of line 90', 32],
    ['the end of a long output', 9001, 'needle of line 70', 33],
    ['thinking', 31, 'The needle', 30],
  ] as const) {
    for (const isOpen of [false, true]) {
      it(`shows a hit in ${what} expanded and marks its row${isOpen ? ', in a panel that is open' : ''}`, async () => {
        const { page } = await open({ scenario: 'folded', ...(isOpen ? { at: 1 } : { reveal: line, sought }) });
        if (isOpen) {
          const asked = [line, sought] as const;
          await page.evaluate(([at, text]) => {
            window.fake.reveal(at, text);
          }, asked);
        }
        await page.locator(`.item.is-marked[data-index="${index}"]`).waitFor();
        await page.waitForFunction((text) => {
          const [range] = [...(CSS.highlights.get('rethread-current-hits') ?? [])];
          const view = document.querySelector('.scroller')!.getBoundingClientRect();
          if (!(range instanceof Range) || range.toString() !== text) return false;
          const { top, bottom } = range.getBoundingClientRect();
          return top >= view.top && bottom <= view.bottom && bottom > top;
        }, sought);
      });
    }
  }

  it('marks the call of a revealed result, and scrolls to no other row if the search does not have it', async () => {
    const { page } = await open({ scenario: 'folded', reveal: 9000, sought: 'no such words' });
    await page.locator('.item.is-marked[data-index="32"]').waitFor();
    await page.getByText('No results').waitFor();
    await page.evaluate(() => {
      window.fake.reveal(9001, 'needle of line 90');
    });
    await page.locator('.item.is-marked[data-index="33"]').waitFor();
    await page.locator('.find-count', { hasText: /^\d/ }).waitFor();
    assert.equal(await page.locator('.is-current-hit').count(), 0);
  });

  it('shows a subagent’s work in progress under its call', async () => {
    const { page } = await open({ count: 39, live: '' });
    await page.evaluate(() => {
      window.fake.startSubagent();
    });
    const call = page.locator('.item[data-index="39"]');
    await call.getByRole('button', { name: /^Agent/ }).click();
    await call.getByRole('button', { name: 'Conversation of the subagent' }).click();
    const rows = call.locator('.subagent-row');
    await rows.nth(4).waitFor();
    assert.equal(await rows.count(), 5);
    await page.evaluate(() => {
      window.fake.appendToSubagent(40);
    });
    await rows.nth(44).waitFor();
    assert.equal(await rows.count(), 45);
    assert.equal(await call.getByRole('button', { name: 'Show more' }).count(), 0);
  });

  it('shows as much of a subagent as was requested, if not all', async () => {
    const { page } = await open({ count: 39, live: '' });
    await page.evaluate(() => {
      window.fake.startSubagent();
    });
    await page.evaluate(() => {
      window.fake.appendToSubagent(50);
    });
    const call = page.locator('.item[data-index="39"]');
    await call.getByRole('button', { name: /^Agent/ }).click();
    await call.getByRole('button', { name: 'Conversation of the subagent' }).click();
    const rows = call.locator('.subagent-row');
    await rows.nth(29).waitFor();
    await page.evaluate(() => {
      window.fake.appendToSubagent(1);
    });
    await settled(page);
    assert.equal(await rows.count(), 30);
    await call.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(55).waitFor();
    assert.equal(await rows.count(), 56);
  });
});
