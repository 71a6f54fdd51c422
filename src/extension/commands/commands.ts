import * as vscode from 'vscode';
import type { SessionSummary } from '../../protocol/channels/sessions';
import type { AlarmsFeature } from '../alarms/alarmsFeature';
import { COMMAND_IDS, type CommandId } from '../config/contributions';
import { configDirOf } from '../config/settings';
import { readTarget } from '../conversation/conversationAddresses';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { exportConversation } from '../conversation/exportConversation';
import { searchConversations } from '../conversation/searchConversations';
import type { CheckpointsFeature } from '../history/checkpointsFeature';
import type { ForksFeature } from '../history/forksFeature';
import type { RewindFeature } from '../history/rewindFeature';
import { Disposable } from '../lifetime';
import type { RepairCommands } from '../repair/repairCommands';
import type { RepairPreviews } from '../repair/repairPreviews';
import type { Services } from '../services';
import type { ScanCommands } from '../sessions/scanCommands';
import type { SessionFilter } from '../sessions/sessionFilter';
import type { SessionsModel } from '../sessions/sessionsModel';
import { existingConfigDirs, findSession, type NamedSession } from '../sessions/sessionsState';
import { type SessionsTree, themeIcon } from '../sessions/sessionsTree';
import { MoreNode, SessionNode } from '../sessions/treeNode';
import type { TasksFeature } from '../tasks/tasksFeature';
import type { TerminalsFeature } from '../terminals/terminalsFeature';
import { shortenHome } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import type { TokensFeature } from '../tokens/tokensFeature';
import { type SessionNeed, type SessionPick, sessionPicks } from './sessionPicks';
import { note } from './windowRunner';

/** The implementations of the commands, by feature. */
export interface Features {
  readonly tree: SessionsTree;
  readonly previews: RepairPreviews;
  readonly repairs: RepairCommands;
  readonly scans: ScanCommands;
  readonly panels: ConversationPanels;
  readonly tokens: TokensFeature;
  readonly tasks: TasksFeature;
  readonly terminals: TerminalsFeature;
  readonly forks: ForksFeature;
  readonly rewinds: RewindFeature;
  readonly checkpoints: CheckpointsFeature;
  readonly alarms: AlarmsFeature;
  readonly filter: SessionFilter;
}

type Handler = (argument: unknown) => Promise<void>;
/** All commands of the extension. */
export class Commands extends Disposable {
  constructor(services: Services, features: Features) {
    super();
    const handlers = createHandlers(services, features);
    for (const id of COMMAND_IDS) {
      this._register(
        vscode.commands.registerCommand(id, (argument: unknown) => services.run(id, () => handlers[id](argument))),
      );
    }
  }
}

function createHandlers(services: Services, features: Features): Readonly<Record<CommandId, Handler>> {
  const { client, model, t } = services;
  const {
    tree,
    previews,
    repairs,
    scans,
    panels,
    tokens,
    tasks,
    terminals,
    forks,
    rewinds,
    checkpoints,
    alarms,
    filter,
  } = features;
  const isRewound = (sessionId: string): boolean => rewinds.rewound.has(sessionId);
  const onKept = async <T extends NamedSession>(session: T, work: (session: T) => Promise<void>): Promise<void> => {
    await panels.keepTab(session.path);
    await work(session);
  };
  /** Runs an action on the session that the command was called on, or on one that the person chooses. */
  const withSession =
    (need: SessionNeed, title: string, work: (session: SessionSummary) => Promise<void>): Handler =>
    async (argument) => {
      const session = sessionTarget(argument, model, previews) ?? (await pickSession(need, title, services, isRewound));
      if (session !== null) await onKept(session, work);
    };
  /** From the palette, the command applies to the active conversation, and from the title of an editor, to the one in it. */
  const withFocused =
    (need: SessionNeed, title: string, work: (session: NamedSession) => Promise<void>): Handler =>
    async (argument) => {
      const shown = argument instanceof vscode.Uri ? panels.headOf(argument) : null;
      const focused = argument === undefined ? (panels.active?.head ?? null) : shown;
      if (focused !== null) await onKept(focused, work);
      else await withSession(need, title, work)(argument);
    };
  const rewindFiles = withFocused('any', t('Rewind Files'), (session) => rewinds.rewind(session));
  const openConversation = withSession('any', t('Open Conversation'), ({ path: filePath }) => {
    panels.open({ filePath, line: null });
    return Promise.resolve();
  });
  return {
    'rethread.openConversation': async (argument) => {
      const target = readTarget(argument, services.configDirs());
      if (target === null) await openConversation(argument);
      else panels.open(target);
    },
    'rethread.findInConversation': () => {
      panels.active?.openFind();
      return Promise.resolve();
    },
    'rethread.searchConversations': () => searchConversations(services, panels),
    // In the view that its panel shows, if it has a panel.
    'rethread.export': withFocused('any', t('Export Conversation'), (session) => {
      const { path: filePath } = session;
      const view = panels.at(filePath)?.navigation.view ?? { kind: 'chain' };
      return exportConversation({ filePath, view, title: sessionLabel(session, t) }, services);
    }),
    'rethread.exportTokens': () => tokens.export(),
    'rethread.copyTask': (argument) => tasks.copy(argument),
    'rethread.openSubagent': (argument) => tasks.openSubagent(argument),
    'rethread.scanAllSessions': () => scans.scanAll(),
    'rethread.refresh': () => model.scanAll(),
    'rethread.forgetSession': async (argument) => {
      if (argument instanceof SessionNode) await client.sessions.forget(argument.session);
    },
    'rethread.filterExpiring': () => {
      alarms.toggleExpiring();
      return Promise.resolve();
    },
    'rethread.filterConfigDir': () => filterByConfigDir(services, filter),
    'rethread.clearFilter': () => {
      filter.set(null);
      return Promise.resolve();
    },
    'rethread.showMore': (argument) => {
      if (argument instanceof MoreNode) tree.showMore(argument);
      return Promise.resolve();
    },
    'rethread.showLog': () => {
      services.showLog();
      return Promise.resolve();
    },
    'rethread.scanSession': withSession('any', t('Scan Session'), (session) => scans.scan(session)),
    'rethread.repairSession': withSession('repairable', t('Repair Session'), (session) => repairs.repair(session)),
    'rethread.undoRepair': withSession('undoable', t('Undo Repair'), (session) => repairs.undo(session)),
    'rethread.newSession': () => terminals.newSession(),
    'rethread.continueLastSession': () => terminals.continueLast(),
    // In the tree, a command of its own opens the panel.
    'rethread.resumeInTerminal': (argument) =>
      withFocused('any', t('Resume'), (session) =>
        terminals.resume(session, argument instanceof SessionNode ? 'terminal' : 'ask'),
      )(argument),
    'rethread.resumeInPanel': withFocused('any', t('Resume in Claude Code’s Panel'), (session) =>
      terminals.resume(session, 'panel'),
    ),
    'rethread.resumeAgain': (argument) => terminals.resumeAgain(sessionTarget(argument, model, previews)),
    'rethread.showTerminal': withFocused('any', t('Show Terminal'), (session) => terminals.show(session)),
    'rethread.forkSession': withFocused('any', t('Fork Session'), (session) => forks.fork(session)),
    'rethread.forkFromHere': (argument) => forks.forkFromHere(argument),
    'rethread.rewindFiles': async (argument) => {
      const isPreview = argument instanceof vscode.Uri && (await rewinds.rewindFromPreview(argument));
      if (!isPreview) await rewindFiles(argument);
    },
    'rethread.undoRewind': withFocused('rewound', t('Undo Rewind'), (session) => rewinds.undoRewind(session)),
    'rethread.enableCheckpoints': () => checkpoints.setEnabled(true),
    'rethread.disableCheckpoints': () => checkpoints.setEnabled(false),
    'rethread.revealTranscript': withSession('any', t('Reveal Transcript'), (session) => revealTranscript(session, t)),
    'rethread.copySessionId': withSession('any', t('Copy Session ID'), (session) => copySessionId(session, t)),
  };
}

/** Limits the tree to the sessions of one config folder, which the person chooses. */
async function filterByConfigDir(services: Services, filter: SessionFilter): Promise<void> {
  const { configDirs, dialogs, homeDir, model, t } = services;
  const choices = existingConfigDirs(configDirs(), model.snapshot).map((path) => {
    const projects = model.snapshot.projects.filter(({ folder }) => configDirOf(folder, [path]) !== null);
    const count = projects.reduce((sum, { sessions }) => sum + sessions.length, 0);
    return {
      value: path,
      label: shortenHome(path, homeDir),
      description: count === 1 ? t('1 session') : t('{0} sessions', services.formats.number(count)),
      icon: 'folder',
    };
  });
  const title = t('Filter by Config Folder');
  const placeholder = t('Choose the config folder whose sessions to show');
  const configDir = await dialogs.choose([{ heading: null, choices }], { title, placeholder });
  if (configDir === null) return;
  filter.set({ kind: 'configDir', configDir, matches: ({ path }) => configDirOf(path, [configDir]) !== null });
}

/**
 * The session that a command was called on: an item of the tree, or the document of a repair preview. null if there was no
 * argument, as from the palette, or an unknown one, as from a key binding.
 */
function sessionTarget(argument: unknown, model: SessionsModel, previews: RepairPreviews): SessionSummary | null {
  if (argument instanceof SessionNode) return argument.session;
  if (!(argument instanceof vscode.Uri)) return null;
  const filePath = previews.filePathOf(argument);
  return filePath === null ? null : (findSession(model.snapshot, filePath)?.session ?? null);
}

/**
 * Shows the transcript in the desktop's file manager. If the file is on another machine or there is no desktop, opens it in
 * an editor; VS Code reads it itself, so its size does not matter here.
 */
async function revealTranscript(session: SessionSummary, t: Translate): Promise<void> {
  const uri = vscode.Uri.file(session.path);
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    void vscode.window.showErrorMessage(t('The transcript is gone: {0}', session.path));
    return;
  }
  const isOnThisDesktop = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (isOnThisDesktop) await vscode.commands.executeCommand('revealFileInOS', uri);
  else await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
}

async function copySessionId(session: SessionSummary, t: Translate): Promise<void> {
  await vscode.env.clipboard.writeText(session.id);
  note(t('Session ID copied'));
}

interface SessionItem extends vscode.QuickPickItem {
  readonly session: SessionSummary;
}

/**
 * Lets the person choose a session. The list opens at once and grows during the scan.
 *
 * @param isRewound a rewind of the session can be undone
 */
function pickSession(
  need: SessionNeed,
  title: string,
  { extraConfigDirOf, model, homeDir, formats, now, t }: Services,
  isRewound: (sessionId: string) => boolean,
): Promise<SessionSummary | null> {
  const picker = vscode.window.createQuickPick<SessionItem>();
  picker.title = title;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.keepScrollPosition = true;
  let shown: readonly SessionSummary[] | null = null;
  const update = (): void => {
    const query = { need, typed: picker.value, isRewound, extraConfigDirOf };
    const { picks, total } = sessionPicks(model.snapshot, query, now(), homeDir, formats, t);
    const sessions = picks.map((pick) => pick.session);
    // Setting the items again redraws the list.
    if (!isSame(sessions, shown)) {
      shown = sessions;
      const activePath = picker.activeItems[0]?.session.path;
      picker.items = picks.map(toItem);
      const active = picker.items.find((item) => item.session.path === activePath);
      if (active !== undefined) picker.activeItems = [active];
    }
    picker.busy = model.scan !== null;
    picker.placeholder = placeholder(total, picks.length, picker.busy);
  };
  const placeholder = (total: number, shownCount: number, isBusy: boolean): string => {
    if (total === 0 && !isBusy) return emptyText(need, t);
    if (total === shownCount) return t('Choose a session');
    return t('Choose a session: type to find one of {0}', formats.number(total));
  };
  return new Promise((resolve) => {
    const listening = model.onChange(update);
    picker.onDidChangeValue(update);
    picker.onDidAccept(() => {
      const chosen = picker.selectedItems[0];
      if (chosen === undefined) return;
      resolve(chosen.session);
      picker.hide();
    });
    picker.onDidHide(() => {
      listening.dispose();
      picker.dispose();
      resolve(null);
    });
    void model.start();
    update();
    picker.show();
  });
}

function toItem({ session, label, description, detail, icon }: SessionPick): SessionItem {
  return { session, label, description, detail, iconPath: themeIcon(icon) };
}

function isSame(sessions: readonly SessionSummary[], others: readonly SessionSummary[] | null): boolean {
  return sessions.length === others?.length && sessions.every((session, at) => session === others[at]);
}

function emptyText(need: SessionNeed, t: Translate): string {
  switch (need) {
    case 'any':
      return t('There are no Claude Code sessions');
    case 'repairable':
      return t('No session needs a repair');
    case 'undoable':
      return t('No repair can be undone');
    case 'rewound':
      return t('No rewind can be undone');
  }
}
