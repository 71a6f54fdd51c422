import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { axeFaults } from './axeFaults';
import { screenshot, THEMES } from './usePage';
import { useSearch } from './useSearch';

const SCENARIOS = [
  'found',
  'empty',
  'current',
  'filters',
  'searching',
  'nothing',
  'problem',
  'unreadable',
  'many',
  'hostile',
];

const input = (page: Page) => page.getByRole('textbox', { name: 'Search' });
const tree = (page: Page) => page.getByRole('tree', { name: 'Search results' });
const row = (page: Page, text: string | RegExp) => page.getByRole('treeitem').filter({ hasText: text }).first();
const texts = (page: Page) => page.getByRole('treeitem').locator('.label').allInnerTexts();
/** The text of the row that the arrow keys start from. */
const active = (page: Page) => page.locator('.row.is-active').innerText();
/** The last search that the page asked for, once it is about this text. */
const searched = async (page: Page, text: string) => {
  await page.waitForFunction((wanted) => window.search.form()?.text === wanted, text);
  return page.evaluate(() => window.search.form());
};
/** The calls of a name, once there are `count`. */
const asked = async (page: Page, call: string, count = 1) => {
  await page.waitForFunction(
    ([name, enough]) => window.search.asked().filter(([each]) => each === name).length >= enough,
    [call, count] as const,
  );
  return page.evaluate((name) => window.search.asked().filter(([each]) => each === name), call);
};

type Box = Awaited<ReturnType<Locator['boundingBox']>> | undefined;
const topOf = (place: Box) => place?.y ?? -Infinity;
const bottomOf = (place: Box) => (place?.y ?? Infinity) + (place?.height ?? 0);

/** Elements that reach beyond the right edge, and are not cut off by one around them. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide: string[] = [];
    for (const element of document.querySelectorAll('main *')) {
      const box = element.getBoundingClientRect();
      if (box.width <= 1 || box.right <= innerWidth + 0.5) continue;
      if (element.parentElement?.closest('.label, .around, .excerpt') === null)
        wide.push(element.outerHTML.slice(0, 120));
    }
    return wide;
  });
}

describe('The Search view', () => {
  const open = useSearch();

  it('shows no age of a session whose messages have no time', async () => {
    const page = await open({ scenario: 'searching' });
    const undated = row(page, 'Session 0');
    await page.evaluate(() => {
      window.search.find(window.search.sessions(1, 5).map((session) => ({ ...session, age: null })));
    });
    await undated.waitFor();
    assert.equal(await undated.locator('.aside').count(), 0);
    assert.equal(await row(page, 'Draw the rain').locator('.aside').innerText(), '2h');
  });

  it('searches while the person types, without any other action', async () => {
    const page = await open({ scenario: 'empty' });
    await page.keyboard.type('gauge');
    const form = await searched(page, 'gauge');
    assert.deepEqual([form?.isRegExp, form?.isCaseSensitive, form?.author], [false, false, null]);
    const count = (await asked(page, 'search')).length;
    assert.ok(count < 'gauge'.length, `${count} searches`);
  });

  it('groups what was found by project and session, and counts it', async () => {
    const page = await open();
    assert.deepEqual(await texts(page), [
      'weather-station',
      'Draw the rain of a day',
      'Show the wind on a map, with an arrow for each hour and the gusts of the day beside them',
      'recipe-box',
      'Import the soups',
    ]);
    await page.getByText('7 results in 3 sessions').first().waitFor();
    assert.match(await row(page, 'weather-station').innerText(), /5$/m);
    assert.equal(await row(page, 'Count the').locator('mark').innerText(), 'rain');
    assert.deepEqual(
      await page.getByRole('treeitem').evaluateAll((rows) => rows.map((each) => each.getAttribute('aria-level'))),
      ['1', '2', '3', '3', '3', '3', '2', '3', '1', '2', '3', '3'],
    );
  });

  it('shows results while it searches, and adds others below them', async () => {
    const page = await open({ scenario: 'searching' });
    await page.getByText('4 results in 1 session. Searching… 40 of 120 sessions').waitFor();
    const before = await row(page, 'Count the').boundingBox();
    await page.evaluate(() => {
      window.search.find(window.search.sessions(2, 30));
    });
    await row(page, 'Session 1').waitFor();
    assert.deepEqual(await row(page, 'Count the').boundingBox(), before);
    await page.getByText('64 results in 3 sessions. Searching…').waitFor();
    assert.equal(await page.getByRole('progressbar').getAttribute('value'), '40');
    await page.evaluate(() => {
      window.search.tell({
        kind: 'status',
        status: { kind: 'done', sessionsTotal: 120, isCut: false, unreadable: [] },
      });
    });
    await page.getByRole('status').filter({ hasText: '64 results in 3 sessions' }).waitFor({ state: 'attached' });
    assert.equal(await page.getByRole('progressbar').count(), 0);
  });

  it('adds the hits of a session that goes on to the same session', async () => {
    const page = await open({ scenario: 'searching' });
    await page.evaluate(() => {
      const [session] = window.search.sessions(1, 5);
      if (session === undefined) throw new Error('There is no session');
      window.search.find([session]);
      window.search.find([{ ...session, hits: session.hits.map((hit) => ({ ...hit, line: hit.line + 100 })) }]);
    });
    await page.getByText('14 results in 2 sessions').waitFor();
    assert.equal(await row(page, 'Session 0').count(), 1);
  });

  it('asks for all results again if it has missed some', async () => {
    const page = await open({ scenario: 'searching' });
    await page.evaluate(() => {
      const sessions = window.search.sessions(3, 2);
      window.search.start({ sessions });
      window.search.tell({ kind: 'found', hits: 100, sessions });
    });
    await page.getByText('6 results in 3 sessions').waitFor();
    assert.equal((await asked(page, 'ready', 2)).length, 2);
  });

  it('opens a preview with a click, and keeps the tab with a double click', async () => {
    const page = await open();
    const place = { filePath: '/c/projects/-home-mo-station/1.jsonl', line: 9 };
    await row(page, 'whenever 0.2 mm').click();
    assert.deepEqual(await asked(page, 'open'), [['open', place, 'preview']]);
    assert.equal(await row(page, 'whenever 0.2 mm').getAttribute('aria-selected'), 'true');
    await row(page, 'whenever 0.2 mm').dblclick();
    assert.deepEqual((await asked(page, 'open', 4)).at(-1), ['open', place, 'keep']);
  });

  it('can be used with the keyboard alone', async () => {
    const page = await open();
    await input(page).focus();
    const reached: string[] = [];
    for (let times = 0; times < 7; times++) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''));
    }
    assert.deepEqual(reached, [
      'Match Case (Alt+C)',
      'Use Regular Expression (Alt+R)',
      'Filters',
      'Search again',
      'Collapse all',
      'Clear results',
      'Search results',
    ]);
    await input(page).focus();
    await page.keyboard.press('ArrowDown');
    assert.match(await active(page), /weather-station/);
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
    assert.match(await active(page), /whenever 0.2 mm/);
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    assert.deepEqual(
      (await asked(page, 'open', 2)).map(([, , manner]) => manner),
      ['preview', 'keep'],
    );
    await page.keyboard.press('ArrowLeft');
    assert.match(await active(page), /Draw the rain/);
    await page.keyboard.press('ArrowLeft');
    assert.equal(await row(page, 'whenever').count(), 0);
    await page.keyboard.press('End');
    assert.match(await active(page), /step of its own/);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowUp');
    assert.equal(await input(page).evaluate((each) => each === document.activeElement), true);
  });

  it('tells a screen reader which row the keys are at', async () => {
    const page = await open();
    await tree(page).focus();
    await page.keyboard.press('End');
    const named = await tree(page).evaluate((each) => {
      return document.getElementById(each.getAttribute('aria-activedescendant') ?? '')?.textContent;
    });
    assert.equal(named, 'You: Is “drain” a step of its own?');
  });

  it('folds groups, also all of them, and remembers which', async () => {
    const page = await open();
    await row(page, 'Import the soups').click();
    await page.waitForFunction(() => window.search.navigation()?.folded.length === 1);
    await page.getByRole('button', { name: 'Collapse all' }).click();
    assert.equal((await texts(page)).length, 5);
    assert.equal(await page.locator('.hit').count(), 0);
    await page.getByRole('button', { name: 'Collapse all' }).click();
    assert.deepEqual(await texts(page), ['weather-station', 'recipe-box']);
    await page.waitForFunction(() => window.search.navigation()?.folded.length === 5);
  });

  it('matches case and regular expressions by Alt+C and Alt+R, and by buttons that say what they do', async () => {
    const page = await open();
    await input(page).press('Alt+c');
    await input(page).press('Alt+r');
    assert.deepEqual(
      (await asked(page, 'search', 2)).map(([, form]) => {
        const { isCaseSensitive, isRegExp } = form as { isCaseSensitive: boolean; isRegExp: boolean };
        return [isCaseSensitive, isRegExp];
      }),
      [
        [true, false],
        [true, true],
      ],
    );
    const toggle = page.getByRole('button', { name: 'Use Regular Expression (Alt+R)' });
    assert.equal(await toggle.getAttribute('aria-pressed'), 'true');
    await toggle.click();
    assert.equal(await toggle.getAttribute('aria-pressed'), 'false');
  });

  it('limits the search by who, tool, date, project and branch', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Said by' }).selectOption({ label: 'Tools' });
    await page.getByRole('textbox', { name: 'Tool' }).fill('Bash');
    await page.getByRole('combobox', { name: 'Date' }).selectOption({ label: 'Last 7 days' });
    await page.getByRole('textbox', { name: 'Git branch' }).fill('main');
    await page.getByRole('combobox', { name: 'Project' }).selectOption({ label: 'recipe-box (/srv)' });
    await page.waitForFunction(() => window.search.form()?.place?.kind === 'project');
    assert.deepEqual(await page.evaluate(() => window.search.form()), {
      ...{ text: 'rain', isRegExp: false, isCaseSensitive: false },
      ...{ author: 'tools', tool: 'Bash', date: 'week', branch: 'main' },
      place: { kind: 'project', folder: '/c/projects/-srv-box' },
    });
    await page.getByRole('combobox', { name: 'Project' }).selectOption({ label: 'This folder' });
    await page.getByRole('combobox', { name: 'Said by' }).selectOption({ label: 'You' });
    assert.equal(await page.getByRole('textbox', { name: 'Tool' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Filters (5 set)' }).click();
    assert.equal(await page.getByRole('combobox').count(), 0);
    await page.waitForFunction(() => window.search.navigation()?.hasFilters === false);
  });

  it('offers to clear the filters where they may be why nothing is found', async () => {
    const page = await open({ scenario: 'nothing' });
    await page.getByText('No results in 3 sessions').first().waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForFunction(() => window.search.form()?.date === 'any');
  });

  it('leaves room for results below the filters where the view is low, in which each filter is one line', async () => {
    const page = await open({ viewport: { width: 300, height: 280 } });
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Git branch').waitFor();
    const { top, bottom } = await page
      .locator('.results')
      .evaluate((element) => (({ top: y, bottom: end }) => ({ top: y, bottom: end }))(element.getBoundingClientRect()));
    assert.ok(bottom - top >= 100, `${top} to ${bottom}`);
    await screenshot(page, 'search-low');
  });

  it('has three results in sight below the filters in the view of a window of 1000 by 700 pixels', async () => {
    const page = await open({ viewport: { width: 297, height: 207 } });
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Git branch').waitFor();
    const bottoms = await page
      .locator('.hit')
      .evaluateAll((hits) => hits.map((hit) => Math.round(hit.getBoundingClientRect().bottom)));
    assert.ok(bottoms.filter((bottom) => bottom <= 207).length >= 3, `ends of results: ${bottoms.join(', ')}`);
    await screenshot(page, 'search-lowest');
  });

  for (const { height, filters } of [
    { height: 207, filters: 'no filter' },
    { height: 207, filters: 'a filter' },
    { height: 313, filters: 'no filter' },
    { height: 313, filters: 'a filter' },
  ]) {
    it(`has a whole result in sight where not all could be read: 220 by ${height} pixels, ${filters}`, async () => {
      const page = await open({ scenario: 'many', viewport: { width: 220, height } });
      await page.getByRole('button', { name: 'Filters' }).click();
      if (filters === 'a filter') await page.getByRole('combobox', { name: 'Said by' }).selectOption('Claude');
      await page.evaluate(() => {
        const unreadable = ['1.jsonl', '2.jsonl'].map((name) => ({ name, problem: 'It is gone.' }));
        window.search.tell({ kind: 'status', status: { kind: 'done', sessionsTotal: 2000, isCut: false, unreadable } });
      });
      await page.getByText('2 transcripts could not be read').waitFor();
      const [status, note, summary] = [page.locator('.status'), page.locator('.note'), page.locator('.note summary')];
      const [statusBox, noteBox, treeBox, hitBox] = await Promise.all(
        [status, note, tree(page), page.locator('.hit').first()].map((each) => each.boundingBox()),
      );
      const hidden = await page.locator('.head').evaluate((head) => head.scrollHeight - head.clientHeight);
      await screenshot(page, `search-unreadable-${height}-${filters.replace(' ', '-')}`);
      const told = JSON.stringify({ statusBox, noteBox, treeBox, hitBox, hidden });
      assert.ok(hidden <= 0 && bottomOf(statusBox) <= topOf(noteBox) && bottomOf(noteBox) <= topOf(treeBox), told);
      assert.ok(bottomOf(hitBox) <= height, told);
      for (const line of [status, summary])
        assert.equal(await line.evaluate((each) => each.scrollHeight > each.clientHeight + 1), false, told);
      assert.equal(await status.getAttribute('title'), '1,000 results in 100 sessions');
      assert.equal(await summary.getAttribute('title'), '2 transcripts could not be read');
    });
  }

  for (const { width, height } of [
    { width: 222, height: 300 },
    { width: 300, height: 300 },
    { width: 222, height: 600 },
  ]) {
    it(`cuts no number, and not why there may be more results: ${width} by ${height} pixels`, async () => {
      const page = await open({ scenario: 'many', viewport: { width, height } });
      const isCut = (selector: string): Promise<boolean> =>
        page
          .locator(selector)
          .evaluate((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight + 1);
      for (const status of ['searching', 'done'] as const) {
        await page.evaluate((kind) => {
          const done = { kind: 'done', sessionsTotal: 2000, isCut: true, unreadable: [] } as const;
          const searching = { kind: 'searching', sessionsDone: 1600, sessionsTotal: 2000 } as const;
          window.search.tell({ kind: 'status', status: kind === 'done' ? done : searching });
        }, status);
        await page.getByRole('progressbar').waitFor({ state: status === 'done' ? 'detached' : 'attached' });
        await screenshot(page, `search-${status}-${width}-${height}`);
        assert.equal(await isCut('.status'), false, await page.locator('.status').innerText());
        assert.match(await page.locator('.status').innerText(), /^1,000 results/);
      }
      assert.equal(await isCut('.note'), false);
    });
  }

  it('says in full why there may be more results where the view is low and narrow', async () => {
    const page = await open({ scenario: 'unreadable', viewport: { width: 222, height: 300 } });
    const note = page.getByText(/^Some texts are too long/);
    await screenshot(page, 'search-unreadable-222-300');
    assert.equal(
      await note.evaluate((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight + 1),
      false,
    );
    const results = await page.locator('.results').boundingBox();
    assert.ok(results !== null && results.height >= 100, JSON.stringify(results));
  });

  it('loses nothing by Escape', async () => {
    const page = await open();
    await input(page).focus();
    await page.keyboard.press('Escape');
    assert.equal(await input(page).inputValue(), 'rain');
    assert.equal((await texts(page)).length, 5);
    await tree(page).focus();
    await page.keyboard.press('Escape');
    assert.equal(await input(page).evaluate((each) => each === document.activeElement), true);
    assert.equal((await texts(page)).length, 5);
    assert.deepEqual(await asked(page, 'search', 0), []);
  });

  it('clears the results when the person asks for it, with the focus where they type', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Clear results' }).click();
    assert.equal((await searched(page, ''))?.text, '');
    assert.equal(await input(page).evaluate((each) => each === document.activeElement), true);
  });

  it('selects the text when the person wants to type, so that typing replaces it', async () => {
    const page = await open();
    await page.evaluate(() => {
      window.search.focusInput();
    });
    await page.waitForFunction(() => document.activeElement instanceof HTMLInputElement);
    await page.keyboard.type('wind');
    assert.equal(await input(page).inputValue(), 'wind');
  });

  it('shows the hit that was opened by a key of VS Code, also in a folded session', async () => {
    const page = await open({ scenario: 'many', viewport: { width: 300, height: 400 } });
    await page.getByRole('button', { name: 'Collapse all' }).click();
    await page.evaluate(() => {
      window.search.tell({ kind: 'current', current: { filePath: '/c/projects/many/60.jsonl', line: 4 } });
    });
    const hit = page.locator('.is-current').filter({ hasText: 'session 60 tells' });
    await hit.waitFor();
    const box = await hit.boundingBox();
    assert.ok(box !== null && box.y > 60 && box.y + box.height <= 400, JSON.stringify(box));
    assert.equal(await hit.getAttribute('aria-selected'), 'true');
  });

  it('scrolls to where it was once as many results are there again', async () => {
    const page = await open({ scenario: 'restored' });
    const scrollTop = () => page.locator('.results').evaluate((each) => each.scrollTop);
    assert.ok((await scrollTop()) < 600);
    await page.evaluate(() => {
      window.search.find(window.search.sessions(30, 10));
    });
    await page.getByText('304 results').first().waitFor();
    // Rows that were never in view have estimated heights.
    const restored = await scrollTop();
    assert.ok(Math.abs(restored - 900) < 80, `${restored}`);
    await page.locator('.results').evaluate((each) => {
      each.scrollTop = 700;
    });
    await page.waitForFunction(() => Math.abs((window.search.navigation()?.scrollTop ?? 0) - 700) < 80);
  });

  it('does not scroll by itself once the person has scrolled', async () => {
    const page = await open({ scenario: 'restored', viewport: { width: 300, height: 200 } });
    await page.locator('.results').hover();
    await page.mouse.wheel(0, -300);
    await page.waitForFunction(() => document.querySelector('.results')?.scrollTop === 0);
    await page.evaluate(() => {
      window.search.find(window.search.sessions(30, 10));
    });
    await page.getByText('304 results').first().waitFor();
    assert.equal(await page.locator('.results').evaluate((each) => each.scrollTop), 0);
  });

  it('says whether it has the focus, which then stays there while results are gone through', async () => {
    const page = await open();
    assert.deepEqual((await asked(page, 'focused'))[0], ['focused', true]);
  });

  it('is fast with as many results as a search finds', async () => {
    const page = await open({ scenario: 'many' });
    assert.equal(await page.getByRole('treeitem').count(), 1101);
    await page.getByText('There are more results: narrow the search to see them.').waitFor();
    await tree(page).focus();
    const ms = await page.evaluate(async () => {
      const begun = performance.now();
      for (let times = 0; times < 20; times++) {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
      return (performance.now() - begun) / 20;
    });
    assert.ok(ms < 200, `${ms} ms for a key`);
  });

  it('treats what it shows as text', async () => {
    const page = await open({ scenario: 'hostile' });
    assert.equal(await page.title(), 'Search');
    assert.equal(await page.locator('main img, main script').count(), 0);
  });

  for (const theme of THEMES) {
    it(`passes the axe checks: ${theme}`, async () => {
      // A thousand rows take minutes to check, and look like a few.
      for (const scenario of SCENARIOS.filter((each) => each !== 'many')) {
        const page = await open({ theme, scenario });
        if (scenario === 'current') await tree(page).focus();
        if (scenario === 'unreadable') await page.getByText('2 transcripts could not be read').click();
        await screenshot(page, `search-${scenario}-${theme}`);
        assert.deepEqual(await axeFaults(page), [], scenario);
        await page.context().close();
      }
    });
  }

  it('keeps hits and the current row in forced colours', async () => {
    const page = await open({ forcedColors: 'active', scenario: 'current' });
    await screenshot(page, 'search-forced-colors');
    // axe uses the colours of the stylesheet, which are not the painted ones.
    assert.deepEqual(await axeFaults(page, ['color-contrast']), []);
    const outline = await page.locator('.row.is-current').evaluate((each) => getComputedStyle(each).outlineStyle);
    assert.equal(outline, 'solid');
  });

  for (const { name, width, height, scale } of [
    { name: 'a column of 220 pixels', width: 220, height: 700, scale: 1 },
    { name: 'a column of 300 pixels at a zoom of 200 %', width: 150, height: 350, scale: 2 },
  ]) {
    it(`needs no horizontal scrolling, and leaves room for results: ${name}`, async () => {
      for (const scenario of SCENARIOS) {
        const page = await open({ scenario, viewport: { width, height }, deviceScaleFactor: scale });
        await screenshot(page, `search-${scenario}-${width}`);
        assert.deepEqual(await tooWide(page), [], scenario);
        const results = await page.locator('.results').boundingBox();
        assert.ok(results !== null && results.height >= height * 0.3, scenario);
        await page.context().close();
      }
    });
  }

  it('shows each hit whole where the view is narrow', async () => {
    const page = await open({ viewport: { width: 220, height: 700 } });
    const hidden = await page.locator('.excerpt').evaluateAll((all) =>
      all.flatMap((each) => {
        const [box, hit] = [each.getBoundingClientRect(), each.querySelector('mark')?.getBoundingClientRect()];
        return hit !== undefined && hit.bottom <= box.bottom + 1 && hit.right <= box.right + 1
          ? []
          : [each.textContent];
      }),
    );
    assert.deepEqual(hidden, []);
  });

  it('is not animated with reduced motion', async () => {
    const page = await open({ scenario: 'searching' });
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  });
});
