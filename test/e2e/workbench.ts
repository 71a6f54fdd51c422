import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';

const OPEN_TIMEOUT_MS = 60_000;
const REST_MS = 1000;
const PALETTE_TIMEOUT_MS = 2000;
const PICK_TIMEOUT_MS = 8000;
const MAX_PRESSES = 5;

/** A VS Code window, by what a person sees of it. Uses only selectors that have been stable across releases. */
export class Workbench {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(browser: Browser, url: string, height = 600): Promise<Workbench> {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await browser.newPage({ viewport: { width: 1200, height }, permissions });
    await page.goto(url);
    await page.locator('.monaco-workbench .statusbar').waitFor({ timeout: OPEN_TIMEOUT_MS });
    return new Workbench(page);
  }

  /** Runs a command by its name in the palette, e.g. "Rethread: Refresh". */
  async runCommand(title: string): Promise<void> {
    await unlessItWentAway(async () => {
      await this.#openPalette();
      // A palette that is open already shows what it found when it was opened, perhaps before the extension was active.
      await this.quickInput().fill('>', { timeout: PALETTE_TIMEOUT_MS });
      await this.quickInput().fill(`>${title}`, { timeout: PALETTE_TIMEOUT_MS });
      await this.quickPick(title).first().click({ timeout: PICK_TIMEOUT_MS });
    });
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

  async movePointerAway(): Promise<void> {
    // Over the status bar, where nothing shows a hover.
    const { height } = this.page.viewportSize() ?? { height: 600 };
    await this.page.mouse.move(700, height - 8);
    await this.hover().waitFor({ state: 'hidden' });
  }

  /** The text beside the pointer, after it has rested somewhere for a while. */
  hover(): Locator {
    return this.page.locator('.monaco-hover:visible, .workbench-hover:visible').first();
  }

  /** Presses the button that a session of the tree shows on hover, and confirms. */
  async repairFromTree(title: string): Promise<void> {
    const item = this.treeItem(title);
    await item.hover();
    await item.getByRole('button', { name: 'Repair Session…' }).click();
    await this.dialog().getByRole('button', { name: 'Repair' }).click();
  }

  async dismissNotifications(): Promise<void> {
    await this.runCommand('Notifications: Clear All Notifications');
    await this.page.locator('.notification-toast').first().waitFor({ state: 'hidden' });
  }

  /** The page of the active conversation panel. */
  conversation(): FrameLocator {
    return this.#webview(':not([src*="purpose=webviewView"])');
  }

  /** The page of the Tokens view. */
  tokens(): FrameLocator {
    return this.#webview('[src*="purpose=webviewView"]');
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
    await input.fill(target);
    await this.quickPick(beside).waitFor();
    await this.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
  }

  /** The pages of all visible conversation panels. */
  conversations(): readonly FrameLocator[] {
    const outer = this.page.locator('iframe.webview.ready:visible');
    return [0, 1].map((at) => outer.nth(at).contentFrame().frameLocator('iframe#active-frame'));
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

  /**
   * Follows the first link of the text editor as a person does. `Locator.click` cannot: while Ctrl is held, VS Code replaces
   * the element under the pointer, and the click waits for one that stays.
   */
  async clickEditorLink(): Promise<void> {
    const box = await this.page.locator('.monaco-editor .detected-link').first().boundingBox();
    if (box === null) throw new Error('The link of the editor is not visible');
    await this.page.mouse.move(box.x + 20, box.y + box.height / 2);
    await this.page.keyboard.down('ControlOrMeta');
    try {
      await this.page.locator('.monaco-editor .detected-link-active').first().waitFor();
      await this.page.mouse.down();
      await this.page.mouse.up();
    } finally {
      await this.page.keyboard.up('ControlOrMeta');
    }
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
    return this.page.frameLocator(`iframe.webview.ready${which}:visible`).frameLocator('iframe#active-frame');
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
