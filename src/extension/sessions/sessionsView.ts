import * as vscode from 'vscode';
import { readConfigDir, readIgnoredConfigDirs } from '../config/configuration';
import { CONTEXT_KEYS, SESSIONS_VIEW } from '../config/contributions';
import { SETTINGS } from '../config/settings';
import { Disposable, type Listen } from '../lifetime';
import type { Services } from '../services';
import type { SessionFilter } from './sessionFilter';
import { allSessions, sessionsViewState } from './sessionsState';
import type { SessionsTree } from './sessionsTree';
import { sessionsViewText } from './sessionsViewText';
import type { TreeNode } from './treeNode';

const REDRAW_INTERVAL_MS = 60_000;

/** The conversation that has the focus. */
interface ActiveConversation {
  readonly active: { readonly filePath: string } | null;
  readonly onShownChange: Listen<void>;
}

/** The Sessions view: starts the first scan when it becomes visible, and shows messages around the tree. */
export class SessionsView extends Disposable {
  readonly treeView: vscode.TreeView<TreeNode>;
  /** The scan whose progress is shown. */
  #shownScan: Promise<void> | null = null;
  /** Transcript of the last active conversation. */
  #followed: string | null = null;
  /** The entries of the setting for further config folders that the log names. */
  #ignoredConfigDirs = '';
  readonly #context = new Map<string, string | undefined>();

  constructor(
    private readonly services: Services,
    private readonly tree: SessionsTree,
    private readonly filter: SessionFilter,
    private readonly panels: ActiveConversation,
  ) {
    super();
    this.treeView = this._register(
      vscode.window.createTreeView(SESSIONS_VIEW, { treeDataProvider: tree, showCollapseAll: true }),
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
    this._register(
      filter.onChange(() => {
        this.#update();
      }),
    );
    this._register(
      panels.onShownChange(() => {
        this.#followActive();
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
  }

  /** Selects the session of the active tab, as the Explorer does with files. */
  #followActive(): void {
    const filePath = this.panels.active?.filePath ?? null;
    if (filePath === this.#followed) return;
    this.#followed = filePath;
    if (filePath === null || !this.treeView.visible) return;
    // A running session stands in two places.
    const isSelected = this.treeView.selection.some(
      (node) => node.kind === 'session' && node.session.path === filePath,
    );
    const item = isSelected ? null : this.tree.itemOf(filePath);
    if (item === null) return;
    this.treeView.reveal(item, { select: true, focus: false }).then(undefined, (error: unknown) => {
      this.services.log.debug(`Not shown in the Sessions view: ${String(error)}`);
    });
  }

  #update(): void {
    const { model, formats, homeDir, t } = this.services;
    const { snapshot, problem, configDir } = model;
    const shownConfigDir = this.filter.configDir;
    // Its folder is no longer in the settings.
    if (shownConfigDir !== null && !model.configDirs.includes(shownConfigDir)) {
      this.filter.set(null);
      return;
    }
    const shown = this.filter.kind === null ? null : allSessions(this.filter.apply(snapshot)).length;
    const isScanning = model.scan !== null;
    const ignoredConfigDirs = this.#findIgnored();
    const text = sessionsViewText(
      { snapshot, problem, isScanning, configDir, homeDir, shown, shownConfigDir, ignoredConfigDirs },
      formats,
      t,
    );
    // Each assignment sends a message to the window, so assign only what changed.
    if ((this.treeView.description ?? '') !== text.description) this.treeView.description = text.description;
    if ((this.treeView.message ?? '') !== text.message) this.treeView.message = text.message;
    this.#setContext(CONTEXT_KEYS.sessionsView, sessionsViewState(snapshot, problem));
    this.#setContext(CONTEXT_KEYS.hasExtraConfigDirs, model.configDirs.length > 1 ? 'true' : undefined);
    this.#setContext(CONTEXT_KEYS.configDirSource, readConfigDir()?.source);
    this.#showProgress();
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
