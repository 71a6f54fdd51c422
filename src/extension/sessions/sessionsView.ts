import { hostname } from 'node:os';
import * as vscode from 'vscode';
import { readConfigDir, readIgnoredConfigDirs, readUsageView } from '../config/configuration';
import { CONTEXT_KEYS, SESSIONS_VIEW } from '../config/contributions';
import { SETTINGS } from '../config/settings';
import { Disposable, type Listen } from '../lifetime';
import type { Services } from '../services';

import type { SessionFilter } from './sessionFilter';
import type { SessionOrder } from './sessionOrder';
import { sessionsViewState } from './sessionsState';
import type { SessionsTree } from './sessionsTree';
import { sessionsViewText } from './sessionsViewText';
import type { TreeNode } from './treeNode';

const REDRAW_INTERVAL_MS = 60_000;
/** Tokens are counted again this long after the last count, if sessions changed. */
const COUNT_INTERVAL_MS = 60_000;

/** The conversation that has the focus. */
interface ActiveConversation {
  readonly active: { readonly filePath: string } | null;
  readonly onShownChange: Listen<void>;
}

/** The Sessions view: starts the first scan when it becomes visible, and shows messages around the tree. */
export class SessionsView extends Disposable {
  readonly treeView: vscode.TreeView<TreeNode>;
  /** When the tokens are counted again, in milliseconds since the epoch; infinite during a count. */
  #nextCountMs = 0;
  /** The scan whose progress is shown. */
  #shownScan: Promise<void> | null = null;
  /** Transcript of the last active conversation that was selected, or that the person went on from. */
  #followed: string | null = null;
  /** The entries of the setting for further config folders that the log names. */
  #ignoredConfigDirs = '';
  readonly #context = new Map<string, string | undefined>();

  constructor(
    private readonly services: Services,
    private readonly tree: SessionsTree,
    private readonly shown: { readonly filter: SessionFilter; readonly order: SessionOrder },
    private readonly panels: ActiveConversation,
  ) {
    super();
    this.treeView = this._register(
      vscode.window.createTreeView(SESSIONS_VIEW, {
        treeDataProvider: tree,
        showCollapseAll: true,
        canSelectMany: true,
      }),
    );
    this._register(
      this.treeView.onDidChangeVisibility(() => {
        this.#onVisible();
      }),
    );
    this._register(
      services.model.onChange(() => {
        this.#update();
      }),
    );
    for (const listen of [shown.filter.onChange, shown.order.onChange]) {
      this._register(
        listen(() => {
          this.#update();
        }),
      );
    }
    this._register(
      panels.onShownChange(() => {
        this.#followActive();
      }),
    );
    this._register(
      this.treeView.onDidChangeSelection(() => {
        this.#followed = panels.active?.filePath ?? null;
      }),
    );
    this._register(
      vscode.workspace.onDidChangeConfiguration((change) => {
        // An entry that is ignored changes nothing else.
        if (change.affectsConfiguration(`${SETTINGS.section}.${SETTINGS.extraConfigDirs}`)) this.#update();
      }),
    );
    const timer = setInterval(() => {
      if (this.treeView.visible) tree.redraw();
    }, REDRAW_INTERVAL_MS);
    this._register({
      dispose: () => {
        clearInterval(timer);
      },
    });
    this.#update();
    this.#onVisible();
  }

  #onVisible(): void {
    if (!this.treeView.visible) return;
    const { model } = this.services;
    void (model.isStarted ? model.refreshIfStale() : model.start());
    this.tree.redraw();
    this.#showProgress();
    this.#followActive();
  }

  /** Selects the session of the active tab, as the Explorer does with files. */
  #followActive(): void {
    const filePath = this.panels.active?.filePath ?? null;
    // After the window was opened, the tab is there before the list.
    if (filePath === this.#followed || !this.treeView.visible) return;
    if (filePath === null) {
      this.#followed = null;
      return;
    }
    // A running session stands in two places.
    const isSelected = this.treeView.selection.some(
      (node) => node.kind === 'session' && node.session.path === filePath,
    );
    const item = isSelected ? null : this.tree.itemOf(filePath);
    if (item !== null || isSelected) this.#followed = filePath;
    if (item === null) return;
    this.treeView.reveal(item, { select: true, focus: false }).then(undefined, (error: unknown) => {
      this.services.log.debug(`Not shown in the Sessions view: ${String(error)}`);
    });
  }

  #update(): void {
    const { model, formats, homeDir, t } = this.services;
    const { snapshot, problem, configDir } = model;
    const { value, isActive } = this.shown.filter;
    // Before the first scan, the folders are not known.
    const configDirs = value.configDirs.filter((path) => !model.isStarted || model.configDirs.includes(path));
    if (configDirs.length < value.configDirs.length) {
      this.shown.filter.set({ configDirs });
      return;
    }
    const { shown, total } = this.shown.filter.apply(snapshot);
    const isScanning = model.scan !== null;
    const ignoredConfigDirs = this.#findIgnored();
    const remoteMachine = vscode.env.remoteName === undefined ? null : hostname();
    const text = sessionsViewText(
      {
        ...{ snapshot, problem, isScanning, configDir, homeDir, remoteMachine, ignoredConfigDirs },
        ...{ filter: value, shown: isActive ? shown : null, total },
      },
      formats,
      t,
    );
    // Each assignment sends a message to the window, so assign only what changed.
    if ((this.treeView.description ?? '') !== text.description) this.treeView.description = text.description;
    if ((this.treeView.message ?? '') !== text.message) this.treeView.message = text.message;
    this.#setContext(CONTEXT_KEYS.sessionsView, sessionsViewState(snapshot, problem));
    this.#setContext(CONTEXT_KEYS.sessionsFilter, isActive ? 'active' : undefined);
    if (this.shown.order.sort === 'tokens') void this.#countTokens();
    this.#setContext(CONTEXT_KEYS.hasExtraConfigDirs, model.configDirs.length > 1 ? 'true' : undefined);
    this.#setContext(CONTEXT_KEYS.configDirSource, readConfigDir()?.source);
    this.#showProgress();
    this.#followActive();
  }

  /** The first count reads every transcript, the later ones what was added. Never rejects. */
  async #countTokens(): Promise<void> {
    const { client, log, model, now } = this.services;
    if (!this.treeView.visible || !model.isStarted || now() < this.#nextCountMs) return;
    this.#nextCountMs = Infinity;
    try {
      const tokens = await vscode.window.withProgress({ location: { viewId: SESSIONS_VIEW } }, () =>
        client.usage.sessionTokens(readUsageView()),
      );
      if (!this.isDisposed) this.shown.order.setTokens(new Map(tokens));
    } catch (error) {
      log.warn(`Failed to count the tokens by which the sessions are sorted: ${String(error)}`);
    }
    this.#nextCountMs = now() + COUNT_INTERVAL_MS;
  }

  #findIgnored(): readonly string[] {
    const ignored = readIgnoredConfigDirs();
    const text = ignored.join(', ');
    if (text !== this.#ignoredConfigDirs && text !== '')
      this.services.log.warn(`Ignored in rethread.extraConfigDirs, not an absolute path: ${text}`);
    this.#ignoredConfigDirs = text;
    return ignored;
  }

  #setContext(key: string, value: string | undefined): void {
    if (this.#context.get(key) === value) return;
    this.#context.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }

  /** Only while the view is visible: otherwise VS Code would put a clock on its icon whenever the window starts. */
  #showProgress(): void {
    const { scan } = this.services.model;
    if (scan === null || scan === this.#shownScan || !this.treeView.visible) return;
    this.#shownScan = scan;
    void vscode.window.withProgress({ location: { viewId: SESSIONS_VIEW } }, () => scan);
  }
}
