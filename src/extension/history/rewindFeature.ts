import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { workspaceFolderPaths } from '../config/configuration';
import { CONTEXT_KEYS } from '../config/contributions';
import type { ActingPanel } from '../conversation/conversationPanel';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { conversationTexts } from '../conversation/conversationTexts';
import { isPrompt, rowAt } from '../conversation/rowAt';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { type NamedSession, type PlacedSession, sessionAt } from '../sessions/sessionsState';
import { shortenHome } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { CheckpointsFeature } from './checkpointsFeature';
import type { RewindWindow } from './openFromPage';
import { recoverAtStart } from './recoverAtStart';
import { RewindDiffs } from './rewindDiffs';
import type { Editors } from './rewindChanges';
import { rewindFailure } from './rewindFailure';
import { RewindPage } from './rewindPage';
import { RewindPages } from './rewindPages';
import { rewindTexts } from './rewindTexts';
import { RewoundSessions } from './rewoundSessions';

/** Rewinds files and undoes that on pages of their own, for the commands, the tree and the panels. */
export class RewindFeature extends Disposable {
  readonly rewound: RewoundSessions;
  readonly #pages: RewindPages;
  /** The folders that the person named in this window, by the path of the transcript. */
  readonly #named = new Map<string, readonly string[]>();

  constructor(
    private readonly services: Services,
    private readonly checkpoints: CheckpointsFeature,
    panels: Pick<ConversationPanels, 'open'>,
  ) {
    super();
    const { client, describe, dialogs, formats, model, log, now, showLog, t } = services;
    const rewound = new RewoundSessions({
      rewinds: client.history,
      onListed: model.onChange,
      isListed: () => model.isStarted && model.scan === null && model.configDir !== null,
      log,
    });
    this.rewound = this._register(rewound);
    this._register(
      rewound.onChange(() => {
        void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.canUndoRewind, !rewound.isEmpty);
      }),
    );
    const diffs = this._register(new RewindDiffs(t));
    const window: RewindWindow = {
      folders: workspaceFolderPaths,
      pickFolder,
      showMessage: (filePath, line) => {
        panels.open({ filePath, line });
      },
      openFile: (path) => openFile(path, services),
      openDiff: (file, title) => diffs.show(file, title),
      showFolder,
    };
    this.#pages = this._register(
      new RewindPages(
        services,
        (session) =>
          new RewindPage(session, {
            ...{ describe, dialogs, formats, log, now, showLog, t },
            rewinds: client.history,
            editors: windowEditors,
            window,
            named: this.#named,
            displayPath: (path) => this.#displayPath(path),
            // The diff of a file is that of the conversation panel.
            texts: () => ({ ...conversationTexts(t), ...rewindTexts(t) }),
            locale: vscode.env.language,
            onChanged: () => void rewound.refresh(),
          }),
      ),
    );
  }

  /** Puts something between the editors that VS Code makes for rewinds and what is shown in them. */
  adaptPages(adapt: (panel: vscode.WebviewPanel) => vscode.WebviewPanel): void {
    this.#pages.adapt = adapt;
  }

  /** The session whose page has the focus. */
  get active(): NamedSession | null {
    return this.#pages.active;
  }

  /** Call it once the window is idle. Never rejects. */
  async tidy(): Promise<void> {
    const { client, model, dialogs, formats, log, t } = this.services;
    if (!vscode.workspace.isTrusted) return;
    await recoverAtStart({
      ...{ dialogs, formats, log, t },
      rewinds: client.history,
      roots: workspaceFolderPaths(),
      nameOf: (filePath) => sessionLabel(sessionAt(model.snapshot, filePath), t),
    });
    if (!this.isDisposed && model.isStarted) await this.rewound.refresh();
  }

  /** Called when the config folder changed, after the worker was reconfigured. */
  reconfigure(): void {
    if (this.services.model.isStarted) void this.rewound.refresh();
  }

  /** Opens the page at the latest prompt with changes. */
  rewind(session: NamedSession & { readonly cwd?: string | null }): Promise<void> {
    return this.#open(session, null);
  }

  rewindFromPanel({ filePath, head, navigation: { view } }: ActingPanel, line: number): Promise<void> {
    const { client, dialogs, model, run, t } = this.services;
    return run('rethread.rewindFiles', async () => {
      const row = await rowAt(client.conversation, filePath, view, line);
      if (typeof row?.uuid !== 'string' || !isPrompt(row)) {
        void dialogs.notify('error', t('Files can be rewound only to a prompt, and this message is none.'));
        return;
      }
      await this.#open(head ?? sessionAt(model.snapshot, filePath), row.uuid);
    });
  }

  /** Opens the page with the question whether the newest rewind is undone. */
  async undoRewind(session: NamedSession): Promise<void> {
    const { client, dialogs, t } = this.services;
    const placed = this.#placed(session);
    const roots = [...workspaceFolderPaths(), ...(this.#named.get(session.path) ?? [])];
    const state = await client.history.rewindState(placed, roots);
    if (this.isDisposed) return;
    if (state.undoableMs === null) void dialogs.notify('info', rewindFailure('nothing-to-undo', t));
    else await this.#pages.open(placed).showUndo(state);
  }

  async #open(session: NamedSession & { readonly cwd?: string | null }, promptUuid: string | null): Promise<void> {
    const { client, dialogs, t } = this.services;
    const placed = this.#placed(session);
    // A page that is open says everything itself.
    if (this.#pages.isOpen(placed.path)) {
      await this.#pages.open(placed).showRewind(promptUuid);
      return;
    }
    const title = sessionLabel(placed, t);
    const checkpoints = await dialogs.during(t('Looking for the checkpoints of “{0}”', title), () =>
      client.history.checkpoints(placed, this.#named.get(placed.path) ?? workspaceFolderPaths()),
    );
    if (this.isDisposed) return;
    // The message can stay open, so it is not awaited.
    if (checkpoints.length === 0) void this.#offerCheckpoints();
    else await this.#pages.open(placed).showRewind(promptUuid, checkpoints);
  }

  #placed({ cwd, ...session }: NamedSession & { readonly cwd?: string | null }): PlacedSession {
    return { ...session, cwd: cwd ?? sessionAt(this.services.model.snapshot, session.path).cwd };
  }

  async #offerCheckpoints(): Promise<void> {
    const { dialogs, run, t } = this.services;
    const enable = t('Enable Checkpoints…');
    const message = t('This session has no checkpoints: nothing tells what its files were before a prompt.');
    if ((await dialogs.notify('info', message, enable)) !== enable) return;
    await run('rethread.enableCheckpoints', () => this.checkpoints.setEnabled(true));
  }

  #displayPath(path: string): string {
    const inWorkspace = vscode.workspace.asRelativePath(path);
    return inWorkspace === path ? shortenHome(path, this.services.homeDir) : join(inWorkspace);
  }
}

async function pickFolder(start: string | null): Promise<string | null> {
  const picked = await vscode.window.showOpenDialog({
    canSelectFiles: false,
    canSelectFolders: true,
    ...(start === null ? {} : { defaultUri: vscode.Uri.file(start) }),
  });
  return picked?.[0]?.fsPath ?? null;
}

/** Shows the folder in the desktop's file manager, or in a VS Code window if there is none. */
async function showFolder(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  const isOnThisDesktop = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (isOnThisDesktop) await vscode.commands.executeCommand('revealFileInOS', uri);
  else await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
}

async function openFile(path: string, { dialogs, t }: Services): Promise<void> {
  const uri = vscode.Uri.file(path);
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    void dialogs.notify('info', t('There is no such file: {0}', path));
    return;
  }
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
}

/** The editors of this window. Nothing is followed while no page listens. */
const windowEditors: Editors = {
  onChange(listener) {
    let before = dirtyUris().join('\n');
    const look = (): void => {
      const dirty = dirtyUris().join('\n');
      if (dirty === before) return;
      before = dirty;
      listener();
    };
    return vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(look),
      vscode.workspace.onDidSaveTextDocument(look),
      vscode.window.tabGroups.onDidChangeTabs(look),
    );
  },

  async unsaved(paths: readonly string[]): Promise<readonly string[]> {
    const dirty = dirtyUris();
    if (dirty.length === 0) return [];
    const dirtyPaths = new Set(await Promise.all(dirty.map(({ fsPath }) => truePath(fsPath))));
    const found = await Promise.all(paths.map(async (path) => (dirtyPaths.has(await truePath(path)) ? [path] : [])));
    return found.flat();
  },

  async save(paths: readonly string[]): Promise<void> {
    const wanted = new Set(await Promise.all(paths.map(truePath)));
    for (const uri of dirtyUris()) {
      if (!wanted.has(await truePath(uri.fsPath))) continue;
      const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
      if (document === undefined) await vscode.workspace.save(uri);
      else await document.save();
    }
  },
};

/** Files with unsaved changes: texts, notebooks and custom editors. */
function dirtyUris(): vscode.Uri[] {
  const documents = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri);
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ isDirty }) => isDirty);
  const uris = [...documents, ...tabs.flatMap(({ input }) => uriOf(input))].filter(({ scheme }) => scheme === 'file');
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}

function uriOf(input: unknown): vscode.Uri[] {
  const { TabInputText, TabInputNotebook, TabInputCustom, TabInputTextDiff } = vscode;
  if (input instanceof TabInputText || input instanceof TabInputNotebook || input instanceof TabInputCustom) {
    return [input.uri];
  }
  return input instanceof TabInputTextDiff ? [input.modified] : [];
}

/** An editor may know the file by a path through a symbolic link. */
async function truePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}
