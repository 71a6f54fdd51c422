import * as vscode from 'vscode';
import type { SessionSummary } from '../../shared/api/worker';
import { Disposable } from '../lifetime/disposable';
import type { RepairPreviews } from '../repair/repairPreviews';
import type { CheckpointsFeature } from '../checkpoints/checkpointsFeature';
import type { ForksFeature } from '../fork/forksFeature';
import type { RewindFeature } from '../rewind/rewindFeature';
import type { SessionsModel } from '../sessions/sessionsModel';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import type { CommandId } from './commandIds';
import type { SessionsTree } from '../tree/sessionsTree';
import { MoreNode } from '../tree/treeNode';
import { COMMAND_IDS } from './commandIds';
import type { CommandRunner } from './commandRunner';
import type { ConversationCommands } from './conversationCommands';
import { pickSession } from './pickSession';
import type { RepairCommands } from './repairCommands';
import type { ScanCommands } from './scanCommands';
import type { SessionNeed } from './sessionPicks';
import { sessionTarget } from './sessionTarget';
import { copySessionId, revealTranscript } from './transcriptCommands';

export interface CommandsParts {
  readonly model: SessionsModel;
  readonly tree: Pick<SessionsTree, 'showMore'>;
  readonly previews: RepairPreviews;
  readonly repairs: RepairCommands;
  readonly scans: ScanCommands;
  readonly conversations: ConversationCommands;
  readonly tokens: { export(): Promise<void> };
  readonly tasks: { copy(argument: unknown): Promise<void>; openSubagent(argument: unknown): Promise<void> };
  readonly forks: ForksFeature;
  readonly rewinds: RewindFeature;
  readonly checkpoints: CheckpointsFeature;
  readonly homeDir: string;
  readonly formats: Formats;
  readonly t: Translate;
  readonly run: CommandRunner;
}

type Handler = (argument: unknown) => Promise<void>;
type CommandSession = Pick<SessionSummary, 'filePath' | 'sessionId' | 'title'>;

/** All commands of the extension. */
export class Commands extends Disposable {
  constructor(parts: CommandsParts) {
    super();
    const handlers = createHandlers(parts);
    for (const id of COMMAND_IDS) {
      this._register(
        vscode.commands.registerCommand(id, (argument: unknown) => parts.run(id, () => handlers[id](argument))),
      );
    }
  }
}

function createHandlers(parts: CommandsParts): Readonly<Record<CommandId, Handler>> {
  const { model, tree, previews, repairs, scans, conversations, tokens, tasks, forks, rewinds, checkpoints, t } = parts;
  const picking = { ...parts, isRewound: (sessionId: string) => rewinds.rewound.has(sessionId) };
  /** Does something with the session that the command was called on, or with one that the person chooses. */
  const withSession =
    (need: SessionNeed, title: string, work: (session: SessionSummary) => Promise<void>): Handler =>
    async (argument) => {
      const session = sessionTarget(argument, model, previews) ?? (await pickSession(need, title, picking));
      if (session !== null) await work(session);
    };
  /** From the palette, the conversation in front is meant. */
  const withFocused =
    (need: SessionNeed, title: string, work: (session: CommandSession) => Promise<void>): Handler =>
    async (argument) => {
      const { focused } = conversations;
      if (argument === undefined && focused !== null) await work(focused);
      else await withSession(need, title, work)(argument);
    };
  const rewindFiles = withFocused('any', t('Rewind Files'), (session) => rewinds.rewind(session));
  const openConversation = withSession('any', t('Open Conversation'), (session) => conversations.open(session));
  return {
    'rethread.openConversation': (argument) => {
      const target = conversations.targetOf(argument);
      return target === null ? openConversation(argument) : conversations.openAt(target);
    },
    'rethread.findInConversation': () => conversations.find(),
    'rethread.searchConversations': () => conversations.search(),
    'rethread.export': withFocused('any', t('Export Conversation'), (session) => conversations.export(session)),
    'rethread.exportTokens': () => tokens.export(),
    'rethread.copyTask': (argument) => tasks.copy(argument),
    'rethread.openSubagent': (argument) => tasks.openSubagent(argument),
    'rethread.scanAllSessions': () => scans.scanAll(),
    'rethread.refresh': () => model.scanAll(),
    'rethread.showMore': (argument) => {
      if (argument instanceof MoreNode) tree.showMore(argument);
      return Promise.resolve();
    },
    'rethread.scanSession': withSession('any', t('Scan Session'), (session) => scans.scan(session)),
    'rethread.repairSession': withSession('repairable', t('Repair Session'), (session) => repairs.repair(session)),
    'rethread.undoRepair': withSession('undoable', t('Undo Repair'), (session) => repairs.undo(session)),
    'rethread.resumeInTerminal': withFocused('any', t('Resume in Terminal'), (session) => forks.resume(session)),
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
