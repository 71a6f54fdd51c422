import * as vscode from 'vscode';
import type { SessionSummary } from '../../protocol/channels/sessions';
import { COMMAND_IDS, type CommandId } from '../config/contributions';
import { readTarget } from '../conversation/conversationAddresses';
import type { ConversationPanel } from '../conversation/conversationPanel';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { exportConversation } from '../conversation/exportConversation';
import { exportConversations } from '../conversation/exportConversations';
import type { SessionChanges } from '../conversation/sessionChanges';
import { showSessionsOfFile } from '../conversation/sessionsOfFile';
import type { CheckpointsFeature } from '../history/checkpointsFeature';
import type { ForksFeature } from '../history/forksFeature';
import type { RewindFeature } from '../history/rewindFeature';
import { Disposable } from '../lifetime';
import type { FindingOffers } from '../repair/findingOffers';
import type { SessionRepairs } from '../repair/sessionRepairs';
import type { SessionSlims } from '../repair/sessionSlims';
import type { SearchFeature } from '../search/searchFeature';
import type { Services } from '../services';
import { filterByConfigDir, pickFilter } from '../sessions/filterPicker';
import { pickOrder } from '../sessions/orderPicker';
import type { ScanCommands } from '../sessions/scanCommands';
import type { SessionFilter } from '../sessions/sessionFilter';
import type { SessionOrder } from '../sessions/sessionOrder';
import type { SessionPins } from '../sessions/sessionPins';
import { findSession, type NamedSession } from '../sessions/sessionsState';
import type { SessionsTree } from '../sessions/sessionsTree';
import { themeIcon } from '../sessions/treeItems';
import { MoreNode, SessionNode } from '../sessions/treeNode';
import type { TasksFeature } from '../tasks/tasksFeature';
import type { TerminalsFeature } from '../terminals/terminalsFeature';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import type { TokensFeature } from '../tokens/tokensFeature';
import { type SessionNeed, type SessionPick, sessionPicks } from './sessionPicks';

/** The implementations of the commands, by feature. */
export interface Features {
  readonly tree: SessionsTree;
  readonly repairs: SessionRepairs;
  readonly offers: FindingOffers;
  readonly slims: SessionSlims;
  readonly scans: ScanCommands;
  readonly panels: ConversationPanels;
  readonly search: SearchFeature;
  readonly tokens: TokensFeature;
  readonly tasks: TasksFeature;
  readonly terminals: TerminalsFeature;
  readonly forks: ForksFeature;
  readonly rewinds: RewindFeature;
  readonly checkpoints: CheckpointsFeature;
  readonly filter: SessionFilter;
  readonly changes: SessionChanges;
  readonly order: SessionOrder;
  readonly pins: SessionPins;
}

/** `selection`: the items of a tree that are selected, if the command was called on one of them and there are several. */
type Handler = (argument: unknown, selection?: unknown) => Promise<void>;

/** All commands of the extension. */
export class Commands extends Disposable {
  constructor(services: Services, features: Features) {
    super();
    const handlers = createHandlers(services, features);
    for (const id of COMMAND_IDS) {
      this._register(
        vscode.commands.registerCommand(id, (argument: unknown, selection: unknown) =>
          services.run(id, () => handlers[id](argument, selection)),
        ),
      );
    }
  }
}

function createHandlers(services: Services, features: Features): Readonly<Record<CommandId, Handler>> {
  const { client, model, t } = services;
  const {
    tree,
    repairs,
    offers,
    slims,
    scans,
    panels,
    search,
    tokens,
    tasks,
    terminals,
    forks,
    rewinds,
    checkpoints,
    filter,
    order,
    pins,
    changes,
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
      const called = sessionTarget(argument) ?? linkedSession(argument, services);
      const session = called ?? (await pickSession(need, title, services, isRewound));
      if (session !== null) await onKept(session, work);
    };
  /**
   * From the palette, the command applies to the session of the active conversation or page, and from the title of an editor,
   * to the one in it.
   */
  const withFocused =
    (need: SessionNeed, title: string, work: (session: NamedSession) => Promise<void>): Handler =>
    async (argument) => {
      const shown = argument instanceof vscode.Uri ? panels.headOf(argument) : null;
      const focused = argument === undefined ? (panels.active?.head ?? rewinds.active) : shown;
      if (focused !== null) await onKept(focused, work);
      else await withSession(need, title, work)(argument);
    };
  /** Runs an action on the message of a conversation whose menu was opened. */
  const onMessage =
    (work: (panel: ConversationPanel, line: number) => Promise<void> | void): Handler =>
    async (argument) => {
      const target = readTarget(argument, services.configDirs());
      const panel = target === null ? null : panels.at(target.filePath);
      const line = target?.line ?? null;
      if (panel !== null && line !== null) await work(panel, line);
    };
  const openConversation = withSession('any', t('Open Conversation'), ({ path: filePath }) => {
    panels.open({ filePath, line: null });
    return Promise.resolve();
  });
  /** Runs an action on all selected sessions of the tree. */
  const onTree =
    (work: (sessions: readonly SessionSummary[]) => Promise<void>): Handler =>
    (argument, selection) =>
      work(sessionTargets(argument, selection));
  /** Runs another action where several sessions of the tree are selected. */
  const onSeveral =
    (work: (sessions: readonly SessionSummary[]) => Promise<void>, onOne: Handler): Handler =>
    async (argument, selection) => {
      const sessions = sessionTargets(argument, selection);
      if (sessions.length > 1) await work(sessions);
      else await onOne(argument);
    };
  const changeFilter = (): Promise<void> => {
    pickFilter(services, filter);
    return Promise.resolve();
  };
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
    'rethread.copyMessage': onMessage((panel, line) => {
      panel.copyMessage(line, 'text');
    }),
    'rethread.copyMessageAsMarkdown': onMessage((panel, line) => {
      panel.copyMessage(line, 'markdown');
    }),
    'rethread.openLine': onMessage((panel, line) =>
      panels.act({ kind: 'revealLine', filePath: panel.filePath, line }, panel),
    ),
    'rethread.rewindToHere': onMessage((panel, line) => panels.act({ kind: 'rewind', line }, panel)),
    'rethread.nextPrompt': () => {
      panels.active?.goToPrompt(1);
      return Promise.resolve();
    },
    'rethread.previousPrompt': () => {
      panels.active?.goToPrompt(-1);
      return Promise.resolve();
    },
    'rethread.foldAll': () => {
      panels.active?.foldAll();
      return Promise.resolve();
    },
    'rethread.sessionsOfFile': (argument) => showSessionsOfFile(argument, services, panels),
    'rethread.showChanges': withFocused('any', t('Show Changed Files'), (session) => changes.show(session)),
    'rethread.searchConversations': () => search.focus(),
    'rethread.nextSearchResult': () => {
      search.step(1);
      return Promise.resolve();
    },
    'rethread.previousSearchResult': () => {
      search.step(-1);
      return Promise.resolve();
    },
    // In the view that its panel shows, if it has a panel.
    'rethread.export': onSeveral(
      (sessions) => exportConversations(sessions, services),
      withFocused('any', t('Export Conversation'), (session) => {
        const { path: filePath } = session;
        const view = panels.at(filePath)?.navigation.view ?? { kind: 'chain' };
        return exportConversation({ filePath, view, title: sessionLabel(session, t) }, services);
      }),
    ),
    'rethread.exportTokens': () => tokens.export(),
    'rethread.openTokens': () => {
      tokens.openPage();
      return Promise.resolve();
    },
    'rethread.copyTask': (argument) => tasks.copy(argument),
    'rethread.openSubagent': (argument) => tasks.openSubagent(argument),
    'rethread.scanAllSessions': () => scans.scanAll(),
    'rethread.refresh': () => model.scanAll(),
    'rethread.forgetSession': async (argument) => {
      if (argument instanceof SessionNode) await client.sessions.forget(argument.session);
    },
    'rethread.filterSessions': changeFilter,
    'rethread.changeFilter': changeFilter,
    'rethread.filterExpiring': () => {
      filter.toggle('expiring');
      return Promise.resolve();
    },
    'rethread.filterConfigDir': () => filterByConfigDir(services, filter),
    'rethread.clearFilter': () => {
      filter.clear();
      return Promise.resolve();
    },
    'rethread.sortSessions': () => pickOrder(services, order),
    'rethread.pinSession': onTree((sessions) => pins.set(sessions, true)),
    'rethread.unpinSession': onTree((sessions) => pins.set(sessions, false)),
    'rethread.showMore': (argument) => {
      if (argument instanceof MoreNode) tree.showMore(argument);
      return Promise.resolve();
    },
    'rethread.showLog': () => {
      services.showLog();
      return Promise.resolve();
    },
    'rethread.scanSession': withSession('any', t('Scan Session'), (session) => scans.scan(session)),
    'rethread.repairSession': onSeveral(
      (sessions) => repairs.repairSome(sessions),
      withFocused('repairable', t('Repair Session'), ({ path: filePath }) => {
        panels.open({ filePath, line: null, offersRepair: 'all' });
        return Promise.resolve();
      }),
    ),
    'rethread.repairAllBroken': () => repairs.repairAllBroken(),
    'rethread.undoRepair': withFocused('undoable', t('Undo Repair'), (session) => repairs.undo(session)),
    'rethread.resolveFinding': withFocused('any', t('Resolve Finding'), (session) => offers.resolve(session)),
    'rethread.slim': withFocused('any', t('Slim'), (session) => slims.slim(session)),
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
    'rethread.resumeAgain': (argument) => terminals.resumeAgain(sessionTarget(argument)),
    'rethread.showTerminal': withFocused('any', t('Show Terminal'), (session) => terminals.show(session)),
    'rethread.forkSession': withFocused('any', t('Fork Session'), (session) => forks.fork(session)),
    'rethread.forkFromHere': (argument) => forks.forkFromHere(argument),
    'rethread.rewindFiles': withFocused('any', t('Rewind Files'), (session) => rewinds.rewind(session)),
    'rethread.undoRewind': withFocused('rewound', t('Undo Rewind'), (session) => rewinds.undoRewind(session)),
    'rethread.enableCheckpoints': () => checkpoints.setEnabled(true),
    'rethread.disableCheckpoints': () => checkpoints.setEnabled(false),
    'rethread.revealTranscript': withSession('any', t('Reveal Transcript'), (session) =>
      revealTranscript(session, services),
    ),
    'rethread.copySessionId': withSession('any', t('Copy Session ID'), (session) => copySessionId(session, services)),
  };
}

/** The session that a command was called on in the tree. null from the palette, and for an unknown argument, as of a key binding. */
function sessionTarget(argument: unknown): SessionSummary | null {
  return argument instanceof SessionNode ? argument.session : null;
}

/** The session that a link in a tooltip is about, if the window knows it. */
function linkedSession(argument: unknown, { configDirs, model }: Services): SessionSummary | null {
  const target = readTarget(argument, configDirs());
  return target === null ? null : (findSession(model.snapshot, target.filePath)?.session ?? null);
}

/** All sessions that a command was called on in the tree, each once. */
function sessionTargets(argument: unknown, selection: unknown): readonly SessionSummary[] {
  const nodes: readonly unknown[] = Array.isArray(selection) ? selection : [argument];
  const sessions = nodes.map(sessionTarget).filter((session) => session !== null);
  return sessions.filter(({ path }, at) => sessions.findIndex((other) => other.path === path) === at);
}

/**
 * Shows the transcript in the desktop's file manager. If the file is on another machine or there is no desktop, opens it in
 * an editor; VS Code reads it itself, so its size does not matter here.
 */
async function revealTranscript(session: SessionSummary, { dialogs, t }: Services): Promise<void> {
  const uri = vscode.Uri.file(session.path);
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    void dialogs.notify('error', t('The transcript is gone: {0}', session.path));
    return;
  }
  const isOnThisDesktop = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (isOnThisDesktop) await vscode.commands.executeCommand('revealFileInOS', uri);
  else await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
}

async function copySessionId(session: SessionSummary, { dialogs, t }: Services): Promise<void> {
  await vscode.env.clipboard.writeText(session.id);
  dialogs.note(t('Session ID copied'));
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
