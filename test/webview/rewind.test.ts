import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axeFaults } from './axeFaults';
import { screenshot, THEMES } from './usePage';
import { useRewind } from './useRewind';

const SCENARIOS = [
  'plan',
  'looking',
  'many-notes',
  'late-among-many',
  'live',
  'left',
  'nothing',
  'folder',
  'failed',
  'done',
  'undone',
  'undo',
  'busy',
  'hostile',
];
const FOLDER = '/home/mo/weather-station';
const BY_DEFAULT = ['docs/notes.md', 'src/format.ts', 'src/oldGauge.ts', 'src/rainChart.ts', 'media/logo.png'];

const box = (page: Page, name: string) => page.locator('.file').filter({ hasText: name });
/** What the page asks to be rewound or undone, once it does. */
const chosen = async (page: Page) => (await page.waitForFunction(() => window.rewind.chosen())).jsonValue();
/** The calls of a name, once there are `count`. A page calls after a turn or two, so that a look at once may be too early. */
const asked = async (page: Page, call: string, count = 1) => {
  await page.waitForFunction(
    ([name, enough]) => window.rewind.asked().filter(([each]) => each === name).length >= enough,
    [call, count] as const,
  );
  return page.evaluate((name) => window.rewind.asked().filter(([each]) => each === name), call);
};

describe('The page of a rewind', () => {
  const open = useRewind();

  it('rewinds the files that change unless the person says otherwise, and no others', async () => {
    const page = await open();
    for (const name of ['axis.ts', 'station.conf', 'pre-commit', 'latest.md'])
      assert.equal(await box(page, name).getAttribute('aria-checked'), 'false', name);
    await page.getByRole('button', { name: 'Rewind 5 Files' }).click();
    assert.deepEqual(await chosen(page), { token: 'token 1', paths: BY_DEFAULT.map((path) => `${FOLDER}/${path}`) });
  });

  it('checks a file that assistive technology presses, which gives no place', async () => {
    const page = await open();
    const chart = box(page, 'rainChart.ts');
    await chart.evaluate((element: HTMLElement) => {
      element.click();
    });
    assert.equal(await chart.getAttribute('aria-checked'), 'false');
    await chart.locator('.file-text').click();
    assert.equal(await chart.getAttribute('aria-checked'), 'false');
  });

  it('adds up what is checked, beside the button that stays in sight', async () => {
    const page = await open({ viewport: { width: 900, height: 420 } });
    const sum = page.locator('.bar-sum');
    assert.equal(await sum.innerText(), '+6 −15');
    await box(page, 'rainChart.ts').locator('.box-area').click();
    assert.equal(await sum.innerText(), '+6 −4');
    await page.getByRole('button', { name: 'Rewind 4 Files' }).waitFor();
    const bar = await page.locator('.bar').boundingBox();
    assert.ok(bar !== null && bar.y + bar.height <= 420);
    await page.getByRole('checkbox', { name: 'Files that change' }).check();
    await page.getByRole('checkbox', { name: 'Files that change' }).uncheck();
    assert.equal(await page.getByRole('button', { name: 'Rewind 0 Files' }).isDisabled(), true);
    assert.equal(await sum.innerText(), 'No file is checked.');
  });

  it('names outside and sensitive files by their whole path and why, each with a box of its own', async () => {
    const page = await open();
    for (const [group, name, why] of [
      ['Outside the open folders', '/home/mo/station.conf', 'It is outside'],
      ['Sensitive', '.git/hooks/pre-commit', 'Git runs programs'],
    ] as const) {
      const region = page.getByRole('region', { name: group });
      assert.equal(await region.getByRole('checkbox').count(), 1);
      assert.match(await region.innerText(), new RegExp(`${name}[^]*${why}`));
      await region.getByRole('checkbox').press(' ');
    }
    await page.getByRole('button', { name: 'Rewind 7 Files' }).click();
    assert.deepEqual((await chosen(page))?.paths.slice(5), [
      '/home/mo/station.conf',
      `${FOLDER}/.git/hooks/pre-commit`,
    ]);
  });

  it('never checks a file that cannot be changed, and says why it is left alone', async () => {
    const page = await open();
    const link = box(page, 'latest.md');
    await link.locator('.box-area').click({ force: true });
    await link.press(' ');
    assert.equal(await link.getAttribute('aria-checked'), 'false');
    assert.equal(await link.getAttribute('aria-disabled'), 'true');
    await page.locator('.diff-note', { hasText: 'It is a symbolic link' }).waitFor();
    assert.equal((await asked(page, 'compare')).length, 1);
  });

  it('can be used with the keyboard alone', async () => {
    const page = await open();
    const reached: string[] = [];
    for (let times = 0; times < 16; times++) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => (document.activeElement?.className ?? '').replace(/ .*/, '')));
    }
    assert.deepEqual(
      ['goal-button', 'icon-button', 'note-link', 'box', 'file', 'text-button', 'diff-body', 'button'].filter(
        (each) => !reached.includes(each),
      ),
      [],
    );
    // One stop for all files.
    assert.equal(reached.filter((each) => each === 'file').length, 1);
    await box(page, 'notes.md').focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('region', { name: 'What changes in src/format.ts' }).waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('End');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent.includes('latest.md')), true);
    await page.getByRole('button', { name: 'Rewind 4 Files' }).focus();
    await page.keyboard.press('Enter');
    assert.equal((await chosen(page))?.paths.includes(`${FOLDER}/src/format.ts`), false);
  });

  it('shows the diff of the chosen file, and says so where there is none to show', async () => {
    const page = await open();
    await box(page, 'format.ts').click();
    const diff = page.getByRole('region', { name: 'What changes in src/format.ts' });
    await diff.getByText('const TIP_MM = 0.2;').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Rewind 5 Files' }).isEnabled(), true);
    await diff.getByRole('button', { name: 'Open in Diff Editor' }).click();
    await diff.getByRole('button', { name: 'Open File' }).click();
    const path = `${FOLDER}/src/format.ts`;
    assert.deepEqual(await asked(page, 'act', 2), [
      ['act', { kind: 'openDiff', path }],
      ['act', { kind: 'openFile', path }],
    ]);
    await box(page, 'logo.png').click();
    await page.getByText('This file is binary: its content is not shown.').waitFor();
    await box(page, 'notes.md').click();
    await page.getByText('12 more lines are in the diff.').waitFor();
  });

  it('leads from what is not restored to the message and to the file', async () => {
    const page = await open();
    const notRestored = page.getByRole('region', { name: 'Not covered by checkpoints' });
    await notRestored.getByRole('button', { name: 'npm run build' }).click();
    await notRestored.getByRole('button', { name: /src\/format\.ts was changed/ }).click();
    assert.deepEqual(await asked(page, 'act', 2), [
      ['act', { kind: 'showMessage', line: 12 }],
      ['act', { kind: 'openFile', path: `${FOLDER}/src/format.ts` }],
    ]);
  });

  it('says what happens to changes by hand only of files that are checked', async () => {
    const page = await open();
    const region = page.getByRole('region', { name: 'Not covered by checkpoints' });
    await region.getByRole('heading', { name: 'Changes by hand (1)' }).waitFor();
    assert.equal(await region.getByText('station.conf').count(), 0);
    await box(page, 'station.conf').locator('.box').click();
    await region.getByRole('heading', { name: 'Changes by hand (2)' }).waitFor();
    await box(page, 'station.conf').locator('.box').click();
    await box(page, 'format.ts').locator('.box').click();
    await region.getByRole('heading', { name: 'Commands that ran since (2)' }).waitFor();
    assert.equal(await region.getByText('Changes by hand').count(), 0);
  });

  it('counts late copies only of files that are checked', async () => {
    const page = await open({ scenario: 'late-copies' });
    const region = page.getByRole('region', { name: 'Not covered by checkpoints' });
    await region.getByText('The copies of 5 files were written later than the transcript says').waitFor();
    await box(page, 'station.conf').locator('.box').click();
    await region.getByText('The copies of 6 files').waitFor();
    const all = page.getByRole('checkbox', { name: 'Files that change' });
    await all.uncheck();
    await region.getByText('The copy of 1 file was written later than the transcript says').waitFor();
    await box(page, 'station.conf').locator('.box').click();
    await region.waitFor({ state: 'detached' });
  });

  it('folds what is not restored if it is long', async () => {
    const page = await open({ scenario: 'many-notes' });
    const notRestored = page.getByRole('region', { name: 'Not covered by checkpoints' });
    await notRestored.getByText('Commands that ran since (80)').waitFor();
    assert.equal(await notRestored.getByText('npm run step-3').count(), 0);
    await notRestored.getByRole('button', { name: 'Show all (160)' }).click();
    await notRestored.getByText('npm run step-3').first().waitFor();
    await notRestored.getByText('30 more').first().waitFor();
    // Some of them would only happen to this file.
    await box(page, 'notes.md').locator('.box').click();
    await notRestored.getByText('Commands that ran since (45)').waitFor();
    assert.equal(await notRestored.getByText(/\d more/).count(), 0);
    assert.ok((await page.locator('.bar').boundingBox()) !== null);
  });

  it('says of late copies what they mean also while the rest is folded', async () => {
    const page = await open({ scenario: 'late-among-many' });
    const notRestored = page.getByRole('region', { name: 'Not covered by checkpoints' });
    await notRestored.getByRole('heading', { name: 'Other (7)' }).waitFor();
    const late = notRestored.getByText('The copies of 5 files were written later than the transcript says');
    const [box, around] = [await late.boundingBox(), await notRestored.boundingBox()];
    await screenshot(page, 'rewind-late-among-many');
    assert.ok(box !== null && around !== null && box.y + box.height <= around.y + around.height);
    assert.equal(await notRestored.getByRole('listitem').count(), 1);
    await notRestored.getByRole('button', { name: 'Show all (167)' }).click();
    await notRestored.getByText('data/year-5.csv').waitFor();
  });

  it('offers every prompt to go back to, and says why one is impossible', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Go back to before: Draw it as bars' }).click();
    const impossible = page.getByRole('menuitemradio', { name: 'Count the rain' });
    assert.match(await impossible.innerText(), /this one is gone/);
    await impossible.click({ force: true });
    assert.deepEqual(await asked(page, 'choosePrompt', 0), []);
    await page.getByRole('menuitemradio', { name: 'Tell people about it' }).click();
    assert.deepEqual(await asked(page, 'choosePrompt'), [['choosePrompt', 'c']]);
    await page.getByRole('button', { name: 'Look at the files again' }).click();
    await page.waitForFunction(() => window.rewind.asked().some(([call]) => call === 'lookAgain'));
  });

  it('warns of a running session and of unsaved files where the button is', async () => {
    const page = await open({ scenario: 'live' });
    const bar = page.getByRole('contentinfo');
    await bar.getByText('Claude is using this session').waitFor();
    await bar.getByText('2 files have unsaved changes.').waitFor();
    await box(page, 'notes.md').press(' ');
    await bar.getByText('1 file has unsaved changes.').waitFor();
    await bar.getByRole('button', { name: 'Rewind Anyway' }).click();
    assert.equal((await chosen(page))?.paths.length, 4);
  });

  it('shows a changed plan, in which what was checked has to be checked again', async () => {
    const page = await open();
    await box(page, 'pre-commit').press(' ');
    await box(page, 'notes.md').press(' ');
    await page.evaluate(() => {
      const { stage } = window.rewind.view();
      if (stage.kind !== 'plan') throw new Error('There is no plan');
      const message = 'The files changed meanwhile, so that none was touched. Look at them again.';
      window.rewind.change({
        stage: { kind: 'plan', plan: { ...stage.plan, token: 'token 2' } },
        notices: [{ kind: 'warning', message, buttons: [] }],
      });
    });
    await page.getByRole('alert').filter({ hasText: 'The files changed meanwhile' }).waitFor();
    assert.equal(await box(page, 'pre-commit').getAttribute('aria-checked'), 'false');
    assert.equal(await box(page, 'notes.md').getAttribute('aria-checked'), 'false');
    await page.getByRole('button', { name: 'Rewind 4 Files' }).click();
    assert.equal((await chosen(page))?.token, 'token 2');
  });

  it('says that it rewound, with the focus there, and offers to undo that', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Rewind 5 Files' }).focus();
    await page.evaluate(() => {
      window.rewind.change({ stage: { kind: 'done', message: 'Rewound 5 files to before “Draw it”.', canUndo: true } });
    });
    await page.locator('.done-text:focus', { hasText: 'Rewound 5 files' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.deepEqual(await asked(page, 'undo'), [['undo', null]]);
  });

  it('leads from an undone rewind back to the files, by a button that has the focus and says what was done', async () => {
    const page = await open({ scenario: 'done' });
    await page.getByRole('button', { name: 'Undo' }).focus();
    await page.evaluate(() => {
      const message = 'The rewind was undone: 4 files are as they were before.';
      window.rewind.change({ stage: { kind: 'done', message, canUndo: false } });
    });
    const again = page.getByRole('button', { name: 'Show Files Again' });
    await page.locator('.done .button:focus', { hasText: 'Show Files Again' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
    const described = await again.evaluate(
      (button) => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent,
    );
    assert.equal(described, 'The rewind was undone: 4 files are as they were before.');
    await again.press('Enter');
    assert.deepEqual(await asked(page, 'lookAgain'), [['lookAgain']]);
  });

  it('asks before a later undo, with a box for each file', async () => {
    const page = await open({ scenario: 'undo' });
    await page.getByText('The latest rewind was made 5 minutes ago.').waitFor();
    assert.equal(await box(page, 'pre-commit').getAttribute('aria-checked'), 'false');
    await page.getByRole('button', { name: 'Undo Rewind' }).click();
    assert.deepEqual(await chosen(page), {
      token: 'undo 1',
      paths: [`${FOLDER}/src/format.ts`, `${FOLDER}/src/rain.ts`],
    });
  });

  it('lets the person name a folder by its whole path, or choose another', async () => {
    const page = await open({ scenario: 'folder' });
    await page.getByRole('button', { name: `Allow Changes in ${FOLDER}` }).click();
    await page.getByRole('button', { name: 'Choose Folder…' }).click();
    assert.deepEqual(await asked(page, 'allowFolder'), [['allowFolder', FOLDER]]);
    assert.equal((await asked(page, 'chooseFolder')).length, 1);
  });

  it('reports failures, and leads on from them', async () => {
    const page = await open({ scenario: 'failed' });
    await page.getByRole('button', { name: 'Show Safety Copy' }).click();
    await page.getByRole('button', { name: 'Show Log' }).click();
    assert.deepEqual(await asked(page, 'act', 2), [
      ['act', { kind: 'showSafetyCopy' }],
      ['act', { kind: 'showLog' }],
    ]);
    await page.evaluate(() => {
      window.rewind.refuse();
    });
    await page.getByRole('button', { name: 'Rewind 5 Files' }).click();
    await page.getByRole('alert').filter({ hasText: 'That failed: That did not work.' }).waitFor();
  });

  it('accepts nothing while it rewinds', async () => {
    const page = await open({ scenario: 'busy' });
    assert.equal(await page.getByRole('button', { name: 'Rewinding…' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Rewinding…' }).press('Enter');
    assert.equal(await page.evaluate(() => window.rewind.chosen()), null);
    await box(page, 'notes.md').press(' ');
    assert.equal(await box(page, 'notes.md').getAttribute('aria-checked'), 'true');
    assert.equal(await page.getByRole('button', { name: /^Go back to before/ }).count(), 0);
  });

  it('leaves the focus on the button that was pressed while it rewinds, and if that fails', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Rewind 5 Files' }).press('Enter');
    await page.evaluate(() => {
      window.rewind.change({ busy: 'rewinding' });
    });
    await page.locator('.bar .button:focus', { hasText: 'Rewinding…' }).waitFor();
    await page.evaluate(() => {
      window.rewind.change({ busy: null, notices: [{ kind: 'error', message: 'It failed.', buttons: [] }] });
    });
    await page.locator('.bar .button:focus', { hasText: 'Rewind 5 Files' }).waitFor();
  });

  it('stores what it needs to come back after a reload of the window', async () => {
    const page = await open();
    const kept = { filePath: '/c/projects/p/s.jsonl', title: 'Draw the rain of a day', cwd: FOLDER };
    assert.deepEqual(await page.evaluate(() => window.rewind.kept()), { ...kept, promptUuid: 'b' });
    await box(page, 'notes.md').press(' ');
    await page.waitForFunction(() => (window.rewind.navigation()?.unchecked.length ?? 0) > 0);
    const navigation = await page.evaluate(() => window.rewind.navigation());
    assert.deepEqual(navigation?.unchecked, [`${FOLDER}/docs/notes.md`]);
  });

  it('comes back to the undoing of a rewind that was made before a reload of the window', async () => {
    const page = await open();
    await page.evaluate(() => {
      window.rewind.change({ stage: { kind: 'done', message: 'Rewound 5 files to before “Draw it”.', canUndo: true } });
    });
    await page.waitForFunction(() => window.rewind.kept()?.promptUuid === null);
    await page.evaluate(() => {
      window.rewind.change({ stage: { kind: 'done', message: 'The rewind was undone.', canUndo: false } });
    });
    await page.waitForFunction(() => window.rewind.kept()?.promptUuid === 'b');
  });

  for (const theme of THEMES) {
    it(`passes the axe checks: ${theme}`, async () => {
      for (const scenario of SCENARIOS) {
        const page = await open({ theme, scenario });
        if (scenario === 'plan') await page.getByText('Line 3', { exact: true }).waitFor();
        const showAll = page.getByRole('button', { name: /^Show all \(/ });
        if ((await showAll.count()) > 0) await showAll.click();
        await screenshot(page, `rewind-${scenario}-${theme}`);
        assert.deepEqual(await axeFaults(page), [], scenario);
        await page.context().close();
      }
      const page = await open({ theme });
      await page.getByRole('button', { name: /^Go back to before/ }).click();
      assert.deepEqual(await axeFaults(page), [], 'the menu');
    });
  }

  it('keeps boxes and their marks in forced colours', async () => {
    const page = await open({ forcedColors: 'active' });
    await screenshot(page, 'rewind-forced-colors');
    // axe uses the colours of the stylesheet, which are not the painted ones.
    assert.deepEqual(await axeFaults(page, ['color-contrast']), []);
    const [mark, ground] = await page
      .locator('.file .box.is-checked')
      .first()
      .evaluate((each) => [getComputedStyle(each, '::after').borderRightColor, getComputedStyle(each).backgroundColor]);
    assert.notEqual(mark, ground);
  });

  for (const { name, width, height, scale } of [
    { name: 'a column of 220 pixels', width: 220, height: 700, scale: 1 },
    { name: 'a window of 1100 pixels at a zoom of 200 %', width: 550, height: 350, scale: 2 },
  ]) {
    it(`needs no horizontal scrolling, and keeps the button in sight: ${name}`, async () => {
      for (const scenario of SCENARIOS) {
        const page = await open({ scenario, viewport: { width, height }, deviceScaleFactor: scale });
        await screenshot(page, `rewind-${scenario}-${width}`);
        assert.deepEqual(await tooWide(page), [], scenario);
        const bar = page.locator('.bar .button');
        if ((await bar.count()) > 0) {
          const place = await bar.boundingBox();
          assert.ok(place !== null && place.y >= 0 && place.y + place.height <= height, scenario);
        }
        await page.context().close();
      }
    });
  }

  it('is not animated with reduced motion', async () => {
    const page = await open();
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  });

  it('treats names and texts as text, and labels what would hide or reorder them', async () => {
    const page = await open({ scenario: 'hostile' });
    // The page itself loads the highlighter.
    const foreign = 'img, script:not([nonce]):not([src$="/highlight.js"]), b, [style*=fixed]';
    assert.equal(await page.locator(foreign).count(), 0);
    assert.equal(await page.title(), 'Rewind');
    assert.ok((await page.locator('.file .block-control').count()) > 0);
  });

  it('lists hundreds of files without delay', async () => {
    const page = await open({ scenario: 'many-files' });
    await page.getByRole('button', { name: 'Rewind 300 Files' }).waitFor();
    await box(page, 'file-0.ts').focus();
    await page.keyboard.press('End');
    await page.getByRole('region', { name: /file-299\.ts/ }).waitFor();
  });
});

/** Elements that extend over the right edge of the page and are not clipped by a box around them. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      const box = element.getBoundingClientRect();
      if (box.width <= 1 || box.right <= innerWidth + 0.5) continue;
      let around = element.parentElement;
      while (around !== null && !['hidden', 'clip'].includes(getComputedStyle(around).overflowX))
        around = around.parentElement;
      if (around === null || around === document.body) wide.push(element.outerHTML.slice(0, 120));
    }
    return wide;
  });
}
