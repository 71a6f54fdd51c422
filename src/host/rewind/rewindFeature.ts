import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as v from 'valibot';
import * as vscode from 'vscode';
import type { ConversationView } from '../../shared/conversation';
import { HookFlow } from '../checkpoints/hookFlow';
import { HookLauncher } from '../checkpoints/hookLauncher';
import { HookPreviews } from '../checkpoints/hookPreviews';
import type { CommandRunner } from '../commands/commandRunner';
import type { RepairCommands } from '../commands/repairCommands';
import { readResumeEnvironment, readResumeRepair, workspaceFolderPaths } from '../config/configuration';
import { CONTEXT_KEYS } from '../config/contextKeys';
import type { ActingPanel } from '../conversation/conversationActions';
import type { ConversationTarget } from '../conversation/conversationLink';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { LINE, PATH } from '../conversation/panelSchemas';
import { isPrompt, rowAt } from '../conversation/rowAt';
import { ForkFlow, type ForkedSession } from '../fork/forkFlow';
import { Disposable } from '../lifetime/disposable';
import { ResumeFlow, type ResumedSession } from '../resume/resumeFlow';
import { runInTerminal } from '../resume/terminals';
import type { SessionsModel } from '../sessions/sessionsModel';
import { findSession } from '../sessions/sessionsState';
import type { Formats } from '../text/formats';
import type { Log } from '../text/log';
import { shortenHome } from '../text/paths';
import type { Translate } from '../text/translate';
import { windowDialogs } from '../window/windowDialogs';
import type { WorkerClient } from '../worker/workerClient';
import { RewindEnd } from './rewindEnd';
import { RewindFlow, type RewoundSession } from './rewindFlow';
import { RewindPreviews } from './rewindPreviews';
import { rewindRoots } from './rewindRoots';
import { RewoundSessions } from './rewoundSessions';
import { UndoFlow } from './undoFlow';
import { UnsavedFiles } from './unsavedFiles';
import { windowEditors } from './windowEditors';

export interface RewindFeatureParts {
  readonly client: Pick<WorkerClient, 'rewinding' | 'conversations' | 'details'>;
  readonly model: SessionsModel;
  readonly panels: () => Pick<ConversationPanels, 'hold'>;
  readonly repairs: Pick<RepairCommands, 'repair' | 'repairFirst'>;
  /** Makes sure that a worker which is started knows what it has to. */
  readonly prepare: () => void;
  readonly open: (target: ConversationTarget) => void;
  readonly extensionUri: vscode.Uri;
  /** Where VS Code lets the extension keep what belongs to no single window. */
  readonly storage: vscode.Uri;
  readonly version: string;
  readonly homeDir: string;
  readonly run: CommandRunner;
  readonly showLog: () => void;
  readonly formats: Formats;
  readonly log: Log;
  readonly t: Translate;
}

const ROW = v.object({ filePath: PATH, line: LINE });
const FILE: ConversationView = { kind: 'file' };

/** Forks, resuming, rewinds and checkpoints: what the commands, the tree and the panels ask of them. */
export class RewindFeature extends Disposable {
  readonly rewound: RewoundSessions;
  readonly #parts: RewindFeatureParts;
  readonly #previews: RewindPreviews;
  readonly #forks: ForkFlow;
  readonly #resumes: ResumeFlow;
  readonly #rewinds: RewindFlow;
  readonly #undos: UndoFlow;
  readonly #hooks: HookFlow;
  readonly #launcher: HookLauncher;

  constructor(parts: RewindFeatureParts) {
    super();
    this.#parts = parts;
    const { client, model, repairs, open, formats, log, t } = parts;
    const { rewinding, conversations } = client;
    const common = { dialogs: windowDialogs, now: Date.now, formats, log, t };
    const displayPath = (path: string): string => this.#displayPath(path);
    const rewound = new RewoundSessions({
      rewinds: rewinding,
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

    this.#resumes = new ResumeFlow({
      ...common,
      details: (filePath) => client.details(filePath),
      isFolder,
      repairMode: readResumeRepair,
      repair: (session) => repairs.repairFirst(session),
      previewRepair: (session) => repairs.repair(session),
      fork: (session) => this.#forks.forkSession(session),
      environment: readResumeEnvironment,
      runInTerminal,
    });
    this.#forks = new ForkFlow({
      ...common,
      forks: rewinding,
      conversations,
      hold: (filePath) => parts.panels().hold(filePath),
      open,
      resume: (session) => parts.run('rethread.resumeInTerminal', () => this.#resumes.resume(session)),
      onForked: () => void model.scanAll(),
    });
    this.#previews = this._register(new RewindPreviews({ displayPath, formats, t }));
    const unsaved = new UnsavedFiles({ ...common, editors: windowEditors, displayPath });
    const end = new RewindEnd({
      ...common,
      undo: (session) => parts.run('rethread.undoRewind', () => this.#undos.undo(session, true)),
      showFolder: (path) => showFolder(path),
      showLog: parts.showLog,
    });
    this.#undos = new UndoFlow({ ...common, rewinds: rewinding, unsaved, end, displayPath, onUndone: onRewound });
    this.#rewinds = new RewindFlow({
      ...common,
      rewinds: rewinding,
      previews: this.#previews,
      unsaved,
      end,
      roots: (cwd) => rewindRoots(workspaceFolderPaths(), cwd),
      displayPath,
      enableCheckpoints: () => parts.run('rethread.enableCheckpoints', () => this.setCheckpoints(true)),
      onRewound,
    });
    this.#launcher = new HookLauncher({
      storage: parts.storage.fsPath,
      bundled: vscode.Uri.joinPath(parts.extensionUri, 'dist', 'checkpoint.js').fsPath,
      version: parts.version,
      runtime: process.execPath,
      isWindows: process.platform === 'win32',
      hooks: rewinding,
    });
    this.#hooks = new HookFlow({
      ...common,
      hooks: rewinding,
      launcher: this.#launcher,
      previews: this._register(new HookPreviews(t)),
      hasFolder: () => workspaceFolderPaths().length > 0,
      chooseFolder: () => this.#chooseFolder(),
    });
  }

  /** Nothing of it is urgent: to be called once the window is at rest. Never rejects. */
  async refreshLauncher(): Promise<void> {
    try {
      await this.#launcher.refresh();
    } catch (error) {
      this.#parts.log.warn(`Failed to bring the hook for checkpoints up to date: ${String(error)}`);
    }
  }

  /** The config folder changed; the worker knows. */
  reconfigure(): void {
    if (this.#parts.model.isStarted) void this.rewound.refresh();
  }

  fork(session: ForkedSession): Promise<void> {
    this.#parts.prepare();
    return this.#forks.forkSession(session);
  }

  /** @param argument  `{ filePath, line }`, as another extension or a key binding may name a row */
  async forkFromHere(argument: unknown): Promise<void> {
    const row = v.safeParse(ROW, argument);
    if (!row.success) return;
    const { filePath, line } = row.output;
    const { client, panels, prepare } = this.#parts;
    prepare();
    const held = panels().hold(filePath);
    try {
      await client.conversations.openConversation(filePath, FILE);
      await this.#forks.forkFromRow(this.#sessionAt(filePath), { view: FILE, line });
    } finally {
      held.dispose();
    }
  }

  forkFromPanel({ filePath, head, navigation: { view } }: ActingPanel, line: number): Promise<void> {
    return this.#parts.run('rethread.forkFromHere', () =>
      this.#forks.forkFromRow(head ?? this.#sessionAt(filePath), { view, line }),
    );
  }

  resume(session: ResumedSession): Promise<void> {
    this.#parts.prepare();
    return this.#resumes.resume(session);
  }

  rewind(session: ForkedSession & { readonly cwd?: string | null }): Promise<void> {
    this.#parts.prepare();
    const { cwd } = this.#sessionAt(session.filePath);
    return this.#rewinds.rewind({ ...session, cwd: session.cwd ?? cwd }, null);
  }

  rewindFromPanel({ filePath, head, navigation: { view } }: ActingPanel, line: number): Promise<void> {
    const { client, run, t } = this.#parts;
    return run('rethread.rewindFiles', async () => {
      const row = await rowAt(client.conversations, filePath, view, line);
      if (typeof row?.uuid !== 'string' || !isPrompt(row)) {
        void windowDialogs.tell('error', t('Files are rewound to a prompt, and this row is none.'));
        return;
      }
      await this.#rewinds.rewind(head ?? this.#sessionAt(filePath), row.uuid);
    });
  }

  /** Goes on with a preview. False when the document is none, or is out of date. */
  async rewindFromPreview(uri: vscode.Uri): Promise<boolean> {
    const plan = this.#previews.planOf(uri);
    if (plan === null) return false;
    this.#parts.prepare();
    await this.#rewinds.rewind(this.#sessionAt(plan.filePath), plan.promptUuid);
    return true;
  }

  undoRewind(session: ForkedSession): Promise<void> {
    this.#parts.prepare();
    return this.#undos.undo({ ...session, cwd: null }, false);
  }

  setCheckpoints(isEnabled: boolean): Promise<void> {
    this.#parts.prepare();
    return this.#hooks.setEnabled(isEnabled);
  }

  /** As much as the window knows of a session. */
  #sessionAt(filePath: string): RewoundSession {
    const found = findSession(this.#parts.model.snapshot, filePath);
    const sessionId = basename(filePath, '.jsonl');
    return { filePath, sessionId, title: found?.session.title ?? null, cwd: found?.project.cwd ?? null };
  }

  #displayPath(path: string): string {
    const inWorkspace = vscode.workspace.asRelativePath(path);
    return inWorkspace === path ? shortenHome(path, this.#parts.homeDir) : join(inWorkspace);
  }

  async #chooseFolder(): Promise<string | null> {
    const { t } = this.#parts;
    const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
    if (folders.length === 1) return folders[0]?.uri.fsPath ?? null;
    const choices = folders.map(({ name, uri: { fsPath } }) => ({ value: fsPath, label: name, description: fsPath }));
    return windowDialogs.choose([{ heading: null, choices }], {
      title: t('Checkpoints'),
      placeholder: t('Choose a folder'),
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** In the file manager of the desktop; where there is none, a window of VS Code would have to do. */
async function showFolder(path: string): Promise<void> {
  const uri = vscode.Uri.file(path);
  const isOnThisDesktop = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (isOnThisDesktop) await vscode.commands.executeCommand('revealFileInOS', uri);
  else await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
}
