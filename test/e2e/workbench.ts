import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Browser, type FrameLocator, type Locator, type Page, selectors } from 'playwright-core';

const OPEN_TIMEOUT_MS = 60_000;
const REST_MS = 1000;
const PALETTE_TIMEOUT_MS = 2000;
const SETTLE_MS = 150;
const PICK_TIMEOUT_MS = 8000;
const MAX_PRESSES = 5;

/**
 * A selector engine for the visible frames of webviews, which VS Code lays over the window: `webview=Search` finds that of the
 * view with this title in the side bar, `webview=preview` that of a Markdown file, and `webview=editor` any other outside the side
 * bar. A text, because it runs in the page, where what the compiler adds to functions is not known.
 */
const WEBVIEWS = `{
  queryAll(root, wanted) {
    const sideBar = document.querySelector('.part.sidebar')?.getBoundingClientRect();
    return [...root.querySelectorAll('iframe.webview.ready')].filter((frame) => {
      const box = frame.getBoundingClientRect();
      const middle = box.left + box.width / 2;
      if (box.width === 0 || box.height === 0 || getComputedStyle(frame).visibility !== 'visible') return false;
      const isView = sideBar !== undefined && middle > sideBar.left && middle < sideBar.right;
      const title = frame.contentDocument?.querySelector('iframe#active-frame')?.title ?? '';
      if (!isView) return wanted === (title.includes('Preview') ? 'preview' : 'editor');
      return title === wanted;
    });
  },
  query(root, wanted) {
    return this.queryAll(root, wanted)[0] ?? null;
  },
}`;
const registering = selectors.register('webview', { content: WEBVIEWS });

/** A tooltip comes within a second; so long after that, the pointer is moved. */
const TOOLTIP_MS = 5000;
const TOOLTIP_TRIES = 5;

/** A VS Code window, by what a person sees of it. Uses only selectors that have been stable across releases. */
export class Workbench {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(browser: Browser, url: string, height = 600): Promise<Workbench> {
    await registering;
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await browser.newPage({ viewport: { width: 1200, height }, permissions });
    await page.goto(url);
    await page.locator('.monaco-workbench .statusbar').waitFor({ timeout: OPEN_TIMEOUT_MS });
    return new Workbench(page);
  }

  /** Runs a command by its name in the palette, e.g. "Rethread: Refresh". */
  async runCommand(title: string): Promise<void> {
    await unlessItWentAway(async () => {
      await this.#findInPalette(title);
      await this.quickPick(title).first().click({ timeout: PICK_TIMEOUT_MS });
    });
  }

  /** The same with Enter instead of a click. */
  async runByKeyboard(title: string): Promise<void> {
    await unlessItWentAway(async () => {
      await this.#findInPalette(title);
      await this.quickPick(title).first().waitFor({ timeout: PICK_TIMEOUT_MS });
      await this.page.keyboard.press('Enter');
    });
  }

  async #findInPalette(title: string): Promise<void> {
    await this.#openPalette();
    // A palette that is open already shows what it found when it was opened, perhaps before the extension was active.
    await this.quickInput().fill('>', { timeout: PALETTE_TIMEOUT_MS });
    await this.quickInput().fill(`>${title}`, { timeout: PALETTE_TIMEOUT_MS });
  }

  /** Runs a command that shows a list, and chooses one of its rows. */
  async choose(title: string, row: string): Promise<void> {
    await unlessItWentAway(async () => {
      await this.runCommand(title);
      await this.quickPick(row).click({ timeout: PICK_TIMEOUT_MS });
    });
  }

  /** A key is lost if a list, or a page with the focus, is just closing. */
  async #openPalette(): Promise<void> {
    const isOpen = (): Promise<boolean> =>
      this.quickInput()
        .waitFor({ timeout: PALETTE_TIMEOUT_MS })
        .then(
          () => true,
          () => false,
        );
    for (let times = 0; times < MAX_PRESSES; times++) {
      await this.page.keyboard.press('F1');
      if (await isOpen()) return;
    }
    throw new Error('Failed to open the palette');
  }

  /** By VS Code's own command: a browser reload leaves it no time to store what is open. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: OPEN_TIMEOUT_MS });
  }

  /** Chooses from VS Code's own menu, which ignores a click in the first moment after it has opened. */
  async chooseMenuItem(name: string): Promise<void> {
    const item = this.page.getByRole('menuitem', { name, exact: true });
    await item.waitFor();
    for (let times = 0; times < MAX_PRESSES; times++) {
      const clicked = item
        .click({ timeout: PALETTE_TIMEOUT_MS })
        .then(() => item.waitFor({ state: 'hidden', timeout: PALETTE_TIMEOUT_MS }));
      if (
        await clicked.then(
          () => true,
          () => false,
        )
      )
        return;
    }
    throw new Error(`Failed to choose “${name}” from the menu`);
  }

  /** A row of the list that a command shows. */
  quickPick(text: string): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text });
  }

  /** An icon of the activity bar; its label includes the badge. */
  activity(name: string): Locator {
    return this.page.locator(`.activitybar .action-item:has(a.action-label[aria-label*="${name}"])`);
  }

  treeItem(label: string | RegExp): Locator {
    return this.page.getByRole('treeitem', { name: label });
  }

  /** An item of the status bar by its accessible name. */
  statusItem(label: string): Locator {
    return this.page.locator(`.statusbar-item[aria-label*="${label}"]`);
  }

  /** Drags the border of the side bar to make it wider by the given number of pixels. */
  async widenSideBar(pixels: number): Promise<void> {
    const { page } = this;
    const box = await page.locator('.part.sidebar').boundingBox();
    if (box === null) throw new Error('Failed to find the side bar');
    const [x, y] = [box.x + box.width, box.y + box.height - 60];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + pixels, y, { steps: 5 });
    await page.mouse.up();
    await this.movePointerAway();
  }

  /**
   * Moves the pointer over the status bar, where nothing shows a hover. If the tree was drawn anew beneath the pointer, VS Code does not
   * notice that it has left the item, and keeps the hover until the pointer has been on that and left it.
   */
  async movePointerAway(): Promise<void> {
    const { height } = this.page.viewportSize() ?? { height: 600 };
    for (let tries = 1; ; tries++) {
      await this.page.mouse.move(700, height - 8);
      const hidden = this.hover().waitFor({ state: 'hidden', timeout: TOOLTIP_MS });
      const error = await hidden.then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) return;
      if (tries === TOOLTIP_TRIES) throw new Error('Failed to leave a hover', { cause: error });
      const box = await this.hover().boundingBox();
      if (box !== null) await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
    }
  }

  /** The text beside the pointer, after it has rested somewhere for a while. */
  hover(): Locator {
    return this.page.locator('.monaco-hover:visible, .workbench-hover:visible').first();
  }

  /**
   * Rests on an item of the tree until its tooltip shows the words. If the tree is drawn anew beneath the pointer, VS Code takes the
   * tooltip away until the pointer moves again.
   */
  async showTooltip(item: Locator, words: string | RegExp): Promise<void> {
    for (let tries = 1; ; tries++) {
      await item.hover();
      const shown = this.hover().getByText(words).waitFor({ timeout: TOOLTIP_MS });
      const error = await shown.then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) return;
      if (tries === TOOLTIP_TRIES) throw new Error(`Failed to see “${String(words)}”`, { cause: error });
      await this.movePointerAway();
    }
  }

  /** Presses the button that a session of the tree shows on hover, and then the one at the break of its conversation. */
  async repairFromTree(title: string): Promise<void> {
    const item = this.treeItem(title);
    await item.hover();
    await item.getByRole('button', { name: 'Repair Session…' }).click();
    await this.conversation().getByRole('button', { name: 'Reconnect' }).click();
  }

  async dismissNotifications(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
    await this.page.locator('.notification-toast').first().waitFor({ state: 'hidden' });
  }

  /** The page of the active conversation panel. */
  conversation(): FrameLocator {
    return this.#webview('editor');
  }

  /** The page of the Tokens view. */
  tokens(): FrameLocator {
    return this.#webview('Tokens');
  }

  /** The page of all tokens, while its tab is in front. */
  tokensPage(): FrameLocator {
    return this.#webview('editor');
  }

  /** The preview of a Markdown file, while its tab is in front. */
  markdownPreview(): FrameLocator {
    return this.#webview('preview');
  }

  /** The page of the Search view. */
  search(): FrameLocator {
    return this.#webview('Search');
  }

  /** The input of a list or a simple file dialog. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget input[type=text]');
  }

  /**
   * Enters a file name in VS Code's simple dialog, which first proposes its own name, and reads the folder before it
   * accepts another.
   *
   * @param beside a folder that is in the target folder
   */
  async saveAs(target: string, proposed: RegExp, beside: string): Promise<void> {
    const input = this.quickInput();
    const end = Date.now() + OPEN_TIMEOUT_MS;
    while (!proposed.test(await input.inputValue())) {
      if (Date.now() > end) throw new Error(`Failed to save: it proposes “${await input.inputValue()}”`);
      await this.page.waitForTimeout(50);
    }
    // On a slow machine, the dialog may propose its own name once more.
    do {
      if (Date.now() > end) throw new Error(`Failed to save: it has “${await input.inputValue()}”`);
      await input.fill(target);
      await this.quickPick(beside).waitFor();
      await this.page.waitForTimeout(SETTLE_MS);
    } while ((await input.inputValue()) !== target);
    await this.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  }

  /** The pages of the two visible conversation panels. */
  conversations(): readonly [FrameLocator, FrameLocator] {
    const outer = this.page.locator('webview=editor');
    const page = (at: number): FrameLocator => outer.nth(at).contentFrame().frameLocator('iframe#active-frame');
    return [page(0), page(1)];
  }

  /** The clipboard, once something was copied. */
  async clipboard(): Promise<string> {
    const end = Date.now() + OPEN_TIMEOUT_MS;
    for (;;) {
      const text = await this.page.evaluate(() => navigator.clipboard.readText());
      if (text !== '') return text;
      if (Date.now() > end) throw new Error('Failed to read the clipboard: it stays empty');
      await this.page.waitForTimeout(50);
    }
  }

  /** Follows a link to the extension, as from outside, and confirms that it may be opened. */
  async followLink(link: string): Promise<void> {
    await this.runCommand('Developer: Open URL');
    await this.quickInput().fill(link);
    await this.page.keyboard.press('Enter');
    await this.dialog().getByRole('button', { name: 'Open' }).click();
  }

  tab(name: string): Locator {
    return this.page.getByRole('tab', { name });
  }

  /** Waits until the last action has settled. */
  async quiet(): Promise<void> {
    await this.page.waitForTimeout(REST_MS);
  }

  dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** A button in the editor title bar. */
  editorAction(title: string): Locator {
    return this.page.locator('.editor-actions').getByRole('button', { name: title });
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast', { hasText: text });
  }

  editorText(): Promise<string> {
    return this.page.locator('.monaco-editor .view-lines').first().innerText();
  }

  #webview(which: string): FrameLocator {
    return this.page.frameLocator(`webview=${which}`).frameLocator('iframe#active-frame');
  }

  async screenshot(path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
  }
}

/**
 * Opens a list again that closed before it was answered, which happens when something else takes the focus, such as a
 * page that has just loaded.
 */
async function unlessItWentAway(ask: () => Promise<void>): Promise<void> {
  for (let times = 1; ; times++) {
    try {
      await ask();
      return;
    } catch (error) {
      if (times === MAX_PRESSES) throw error;
    }
  }
}
