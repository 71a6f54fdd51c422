import { basename } from 'node:path';
import type { TaskList, TaskNote } from '../../shared/task';
import { ConversationFile } from '../read/conversationFile';
import { FileAnswers } from '../read/fileAnswers';
import type { ConversationOrder } from '../read/order/conversationOrder';
import { RowMemory } from '../read/rows/transcriptRows';
import { SubagentIndex } from '../read/subagentIndex';
import type { TranscriptState } from '../read/transcriptState';
import type { ScannerFactory } from '../scan/scanner';
import type { Pacer } from '../util/pacer';
import { agentFacts } from './agentFacts';
import { chooseList } from './chooseList';
import { finishTasks, progressOf } from './finishList';
import { listNotes } from './listNotes';
import { reduceTasks, type ReducedTasks } from './reduceTasks';
import { TaskFiles } from './taskFiles';
import { TaskLog } from './taskLog';
import { taskSteps } from './taskSteps';

export interface SessionTasksParts {
  readonly filePath: string;
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  /** A client runs the session. */
  readonly isLive: (sessionId: string) => boolean;
}

/** How much of a list is told. */
export interface TaskLimits {
  readonly tasks: number;
  readonly history: number;
}

export const NO_LIMITS: TaskLimits = { tasks: Infinity, history: Infinity };

/** What the transcript says of tasks, as long as nothing more is said. */
interface Reading {
  /** Counts up with each. */
  readonly number: number;
  readonly logVersion: number;
  readonly order: ConversationOrder;
  readonly reduced: ReducedTasks;
  readonly otherBranches: number;
}

/**
 * The tasks of one session. To be refreshed, and closed, by its owner. A refreshing costs what was appended to the transcript,
 * and the list itself only where something was said of tasks.
 */
export class SessionTasks {
  readonly #parts: SessionTasksParts;
  readonly #file: ConversationFile;
  readonly #answers: FileAnswers;
  readonly #log = new TaskLog();
  readonly #files: TaskFiles;
  readonly #subagents: SubagentIndex;
  #reading: Reading | null = null;
  #readings = 0;
  #title: string | null = null;
  #revision = 0;
  /** Everything that the list is made of, as it was when the list was made. */
  #madeOf = '';

  constructor(parts: SessionTasksParts) {
    this.#parts = parts;
    const { filePath, createScanner, pacer } = parts;
    const memory = new RowMemory();
    const forget = (): void => {
      memory.clear();
      this.#log.clear();
      this.#reading = null;
    };
    this.#file = new ConversationFile(filePath, createScanner, pacer, forget);
    this.#answers = new FileAnswers(this.#file, memory, pacer);
    this.#files = new TaskFiles(filePath);
    this.#subagents = new SubagentIndex(filePath);
  }

  get filePath(): string {
    return this.#parts.filePath;
  }

  close(): void {
    this.#file.close();
  }

  /** Looks at the transcript and the files. True when there is a new list to tell. Never rejects. */
  async refresh(): Promise<boolean> {
    await Promise.all([this.#file.refresh(), this.#files.look()]);
    this.#subagents.look();
    await this.#read();
    const madeOf = this.#ingredients();
    if (madeOf === this.#madeOf) return false;
    this.#madeOf = madeOf;
    this.#revision++;
    return true;
  }

  /** As of the last refreshing. */
  list(limits: TaskLimits): TaskList {
    const { filePath } = this.#parts;
    const { filed } = this.#files;
    const { isLive, sessionId } = this;
    const reduced = this.#reading?.reduced ?? reduceTasks([]);
    const { list, origin } = chooseList(reduced, filed);
    const agent = (callId: string, agentId: string | null): ReturnType<typeof agentFacts> =>
      agentFacts(this.#subagents, callId, agentId);
    const all = this.#file.problem === null ? finishTasks(list, { isLive, agent }) : [];
    const history = this.#file.problem === null ? list.history : [];
    const told = limits.history === Infinity ? history : history.slice(-limits.history);
    const notes: readonly TaskNote[] = listNotes(all, {
      filed,
      hasPlace: this.#files.hasPlace,
      otherBranches: this.#reading?.otherBranches ?? 0,
      malformedLines: reduced.malformedLines,
    });
    return {
      revision: this.#revision,
      sessionId,
      filePath,
      title: this.#title,
      isLive,
      source: all.length === 0 && history.length === 0 ? 'none' : list.source,
      origin,
      tasks: limits.tasks === Infinity ? all : all.slice(0, limits.tasks),
      moreTasks: Math.max(0, all.length - limits.tasks),
      progress: progressOf(all),
      history: told,
      moreHistory: list.droppedHistory + history.length - told.length,
      notes,
      problem: this.#file.problem,
    };
  }

  get sessionId(): string {
    return basename(this.filePath, '.jsonl');
  }

  get isLive(): boolean {
    return this.#parts.isLive(this.sessionId);
  }

  async #read(): Promise<void> {
    await this.#answers.ask(async (state, rows, pause) => {
      if (!(await this.#log.read(rows, pause))) return null;
      this.#note(state);
      return true;
    });
  }

  /** Rows that go on from the chain change nothing of what was said before. */
  #note(state: TranscriptState): void {
    this.#title = state.session.metadata.title;
    const order = state.order({ kind: 'chain' });
    const logVersion = this.#log.version;
    if (this.#reading?.logVersion === logVersion && this.#reading.order === order) return;
    const { steps, otherBranches } = taskSteps(state, this.#log);
    this.#reading = { number: ++this.#readings, logVersion, order, reduced: reduceTasks(steps), otherBranches };
  }

  #ingredients(): string {
    const { version } = this.#files;
    const { revision } = this.#subagents;
    return [this.#reading?.number, version, revision, String(this.isLive), this.#title, this.#file.problem].join('\n');
  }
}
