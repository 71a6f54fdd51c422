import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { workspaceFolderPaths } from '../config/configuration';
import { CONTEXT_KEYS } from '../config/contributions';
import type { ActingPanel } from '../conversation/conversationPanel';
import { isPrompt, rowAt } from '../conversation/rowAt';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { type NamedSession, sessionAt } from '../sessions/sessionsState';
import { shortenHome } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { CheckpointsFeature } from './checkpointsFeature';
import { recoverAtStart } from './recoverAtStart';
import { RewindEnd } from './rewindEnd';
import { RewindFlow } from './rewindFlow';
import { chooseRewindFolders } from './rewindFolders';
import { RewindPreviews } from './rewindPreviews';
import { RewoundSessions } from './rewoundSessions';
import { UndoFlow } from './undoFlow';
import { type Editors, UnsavedFiles } from './unsavedFiles';

/** Rewinds files and undoes that, for the commands, the tree and the panels. */
export class RewindFeature extends Disposable {
  readonly rewound: RewoundSessions;
  readonly #previews: RewindPreviews;
  readonly #rewinds: RewindFlow;
  readonly #undos: UndoFlow;
  /** The folders that the person chose in this window, by the path of the transcript. */
  readonly #named = new Map<string, readonly string[]>();

  constructor(
    private readonly services: Services,
    checkpoints: CheckpointsFeature,
  ) {
    super();
    const { client, model, run, dialogs, formats, log, now, showLog, t } = services;
    const displayPath = (path: string): string => this.#displayPath(path);
    const common = { dialogs, formats, log, now, showLog, t, displayPath };
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
    const onRewound = (): void => void rewound.refresh();

    this.#previews = this._register(new RewindPreviews(common));
    const unsaved = new UnsavedFiles({ ...common, editors: windowEditors });
    const end = new RewindEnd({
      ...common,
      undo: (session) => run('rethread.undoRewind', () => this.#undos.undo(session, true)),
      showFolder: (path) => showFolder(path),
    });
    this.#undos = new UndoFlow({
      ...common,
      rewinds: client.history,
      unsaved,
      end,
      roots: ({ path }) => [...workspaceFolderPaths(), ...(this.#named.get(path) ?? [])],
      onUndone: onRewound,
    });
    this.#rewinds = new RewindFlow({
      ...common,
      rewinds: client.history,
      previews: this.#previews,
      unsaved,
      end,
      roots: async ({ path, cwd }) => {
        const folders = { windowFolders: workspaceFolderPaths, pickFolder, displayPath };
        const roots = await chooseRewindFolders(cwd, { ...common, ...folders });
        if (roots !== null) this.#named.set(path, roots);
        return roots;
      },
      enableCheckpoints: () => run('rethread.enableCheckpoints', () => checkpoints.setEnabled(true)),
      onRewound,
    });
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

  rewind(session: NamedSession & { readonly cwd?: string | null }): Promise<void> {
    const { model } = this.services;
    const { cwd } = sessionAt(model.snapshot, session.path);
    return this.#rewinds.rewind({ ...session, cwd: session.cwd ?? cwd }, null);
  }

  rewindFromPanel({ filePath, head, navigation: { view } }: ActingPanel, line: number): Promise<void> {
    const { client, dialogs, model, run, t } = this.services;
    return run('rethread.rewindFiles', async () => {
      const row = await rowAt(client.conversation, filePath, view, line);
      if (typeof row?.uuid !== 'string' || !isPrompt(row)) {
        void dialogs.notify('error', t('Files are rewound to a prompt, and this row is none.'));
        return;
      }
      await this.#rewinds.rewind(head ?? sessionAt(model.snapshot, filePath), row.uuid);
    });
  }

  /** Continues a rewind from its preview. False if the document is not a preview or is outdated. */
  async rewindFromPreview(uri: vscode.Uri): Promise<boolean> {
    const { model } = this.services;
    const plan = this.#previews.planOf(uri);
    if (plan === null) return false;
    await this.#rewinds.rewind(sessionAt(model.snapshot, plan.filePath), plan.promptUuid);
    return true;
  }

  undoRewind(session: NamedSession): Promise<void> {
    return this.#undos.undo({ ...session, cwd: null }, false);
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

/** The editors of this window. */
const windowEditors: Editors = {
  async unsaved(paths) {
    const dirty = dirtyUris();
    if (dirty.length === 0) return [];
    const dirtyPaths = new Set(await Promise.all(dirty.map(({ fsPath }) => truePath(fsPath))));
    const found = await Promise.all(paths.map(async (path) => (dirtyPaths.has(await truePath(path)) ? [path] : [])));
    return found.flat();
  },

  async save(paths) {
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
