import * as v from 'valibot';
import * as vscode from 'vscode';
import { type KeptRewindPage, rewindViewChannel, rewindViewSchemas } from '../../protocol/channels/rewindView';
import { REWIND_PAGE } from '../config/contributions';
import { isTranscriptOf } from '../conversation/conversationAddresses';
import { Disposable, type DisposableLike } from '../lifetime';
import type { Services } from '../services';
import { type PlacedSession, sessionAt } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import { loadPage } from '../webviews/loadPage';
import { PageChannel } from '../webviews/page';
import type { RewindPage } from './rewindPage';

/** The open pages on which files are rewound: one editor tab for each session. */
export class RewindPages extends Disposable implements vscode.WebviewPanelSerializer {
  readonly #pages = new Map<string, { readonly panel: vscode.WebviewPanel; readonly page: RewindPage }>();

  /** What is used of an editor that VS Code made: tests listen in between. */
  adapt: (panel: vscode.WebviewPanel) => vscode.WebviewPanel = (panel) => panel;

  constructor(
    private readonly services: Services,
    private readonly createPage: (session: PlacedSession) => RewindPage,
  ) {
    super();
    this._register(vscode.window.registerWebviewPanelSerializer(REWIND_PAGE, this));
    this._register({
      dispose: () => {
        for (const { page } of [...this.#pages.values()]) page.dispose();
      },
    });
  }

  /** The session whose page has the focus. */
  get active(): PlacedSession | null {
    return [...this.#pages.values()].find(({ panel }) => panel.active)?.page.session ?? null;
  }

  isOpen(filePath: string): boolean {
    return this.#pages.has(filePath);
  }

  /** The page of a session, which is brought to the front, or opened. */
  open(session: PlacedSession): RewindPage {
    const present = this.#pages.get(session.path);
    if (present !== undefined) {
      present.panel.reveal();
      return present.page;
    }
    const title = this.services.t('Rewind: {0}', sessionLabel(session, this.services.t));
    const panel = vscode.window.createWebviewPanel(REWIND_PAGE, title, vscode.ViewColumn.Active);
    return this.#show(panel, session);
  }

  /** VS Code has restored a page, with the state that it stored. It looks at the files anew. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = v.safeParse(rewindViewSchemas.KEPT, state);
    const { configDirs, model } = this.services;
    // The state of a page can be of another version, and the transcript in no folder of this window.
    const isKnown = kept.success && isTranscriptOf(configDirs(), kept.output.filePath);
    if (!isKnown || this.#pages.has(kept.output.filePath)) {
      panel.dispose();
      return Promise.resolve();
    }
    const { filePath, title, cwd, promptUuid }: KeptRewindPage = kept.output;
    const listed = sessionAt(model.snapshot, filePath);
    const page = this.#show(panel, { ...listed, title: listed.title ?? title, cwd: listed.cwd ?? cwd });
    void (promptUuid === null ? page.showUndo() : page.showRewind(promptUuid));
    return Promise.resolve();
  }

  #show(made: vscode.WebviewPanel, session: PlacedSession): RewindPage {
    const { describe, home, log } = this.services;
    const panel = this.adapt(made);
    const page = this.createPage(session);
    const { webview } = panel;
    const channel = new PageChannel({
      channel: rewindViewChannel,
      calls: page,
      schemas: rewindViewSchemas.calls,
      port: {
        post: (message) => void webview.postMessage(message),
        onMessage: (listener) => webview.onDidReceiveMessage(listener),
      },
      describe,
      onFailure: (call, error) => {
        log.warn(`Rewind ${session.path}: ${call}: ${error instanceof Error ? error.message : String(error)}`);
      },
    });
    this.#pages.set(session.path, { panel, page });
    const owned: readonly DisposableLike[] = [
      page,
      channel,
      page.onChange((view) => {
        if (panel.visible) channel.page.changed(view).catch(() => undefined);
      }),
    ];
    panel.onDidDispose(() => {
      this.#pages.delete(session.path);
      for (const each of owned) each.dispose();
    });
    let wasVisible = panel.visible;
    panel.onDidChangeViewState(() => {
      // The files may have changed meanwhile.
      if (panel.visible && !wasVisible) page.refresh();
      wasVisible = panel.visible;
    });
    const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(home.extensionUri, 'media', `rewind-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    loadPage(webview, home.extensionUri, { bundle: 'rewind', title: panel.title });
    return page;
  }
}
