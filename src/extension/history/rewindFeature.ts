import { join } from 'node:path';
import * as vscode from 'vscode';
import type { CommandRunner } from '../commands/windowRunner';
import { workspaceFolderPaths } from '../config/configuration';
import { CONTEXT_KEYS } from '../config/contributions';
import type { ActingPanel } from '../conversation/conversationActions';
import { isPrompt, rowAt } from '../conversation/rowAt';
import { Disposable } from '../lifetime';
import type { WorkerClient } from '../rpc/workerClient';
import type { Log, Translate } from '../services';
import type { SessionsModel } from '../sessions/sessionsModel';
import { type NamedSession, sessionAt } from '../sessions/sessionsState';
import { type Formats, shortenHome } from '../text/formats';
import { windowDialogs } from '../window/windowDialogs';
import { RewindEnd } from './rewindEnd';
import { RewindFlow } from './rewindFlow';
import { RewindPreviews } from './rewindPreviews';
import { RewoundSessions } from './rewoundSessions';
import { UndoFlow } from './undoFlow';
import { rewindRoots, UnsavedFiles } from './unsavedFiles';
import { windowEditors } from './windowEditors';

export interface RewindFeatureDeps {
  readonly client: Pick<WorkerClient, 'history' | 'conversation'>;
  readonly model: SessionsModel;
  readonly enableCheckpoints: () => Promise<void>;
  readonly homeDir: string;
  readonly run: CommandRunner;
  readonly showLog: () => void;
  readonly formats: Formats;
  readonly log: Log;
  readonly t: Translate;
}

/** Rewinding files and taking that back: what the commands, the tree and the panels ask of it. */
export class RewindFeature extends Disposable {
  readonly rewound: RewoundSessions;
  readonly #deps: RewindFeatureDeps;
  readonly #previews: RewindPreviews;
  readonly #rewinds: RewindFlow;
  readonly #undos: UndoFlow;

  constructor(deps: RewindFeatureDeps) {
    super();
    this.#deps = deps;
    const { client, model, formats, log, t } = deps;
    const displayPath = (path: string): string => this.#displayPath(path);
    const common = { dialogs: windowDialogs, now: Date.now, displayPath, formats, log, t };
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

    this.#previews = this._register(new RewindPreviews({ displayPath, formats, t }));
    const unsaved = new UnsavedFiles({ ...common, editors: windowEditors });
    const end = new RewindEnd({
      ...common,
      undo: (session) => deps.run('rethread.undoRewind', () => this.#undos.undo(session, true)),
      showFolder: (path) => showFolder(path),
      showLog: deps.showLog,
    });
    this.#undos = new UndoFlow({ ...common, rewinds: client.history, unsaved, end, onUndone: onRewound });
    this.#rewinds = new RewindFlow({
      ...common,
      rewinds: client.history,
      previews: this.#previews,
      unsaved,
      end,
      roots: (cwd) => rewindRoots(workspaceFolderPaths(), cwd),
      enableCheckpoints: deps.enableCheckpoints,
      onRewound,
    });
  }

  /** The config folder changed; the worker knows. */
  reconfigure(): void {
    if (this.#deps.model.isStarted) void this.rewound.refresh();
  }

  rewind(session: NamedSession & { readonly cwd?: string | null }): Promise<void> {
    const { model } = this.#deps;
    const { cwd } = sessionAt(model.snapshot, session.filePath);
    return this.#rewinds.rewind({ ...session, cwd: session.cwd ?? cwd }, null);
  }

  rewindFromPanel({ filePath, head, navigation: { view } }: ActingPanel, line: number): Promise<void> {
    const { client, model, run, t } = this.#deps;
    return run('rethread.rewindFiles', async () => {
      const row = await rowAt(client.conversation, filePath, view, line);
      if (typeof row?.uuid !== 'string' || !isPrompt(row)) {
        void windowDialogs.tell('error', t('Files are rewound to a prompt, and this row is none.'));
        return;
      }
      await this.#rewinds.rewind(head ?? sessionAt(model.snapshot, filePath), row.uuid);
    });
  }

  /** Goes on with a preview. False when the document is none, or is out of date. */
  async rewindFromPreview(uri: vscode.Uri): Promise<boolean> {
    const { model } = this.#deps;
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
    return inWorkspace === path ? shortenHome(path, this.#deps.homeDir) : join(inWorkspace);
  }
}

/** In the file manager of the desktop; where there is none, a window of VS Code would have to do. */
async function showFolder(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  const isOnThisDesktop = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (isOnThisDesktop) await vscode.commands.executeCommand('revealFileInOS', uri);
  else await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
}
