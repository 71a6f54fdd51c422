import type { ScannedSession } from '../../protocol/session';
import type { Examination } from '../faults/examination';
import { GrowingResume } from '../resume/growingResume';
import type { SharedView } from '../transcript/liveTranscript';
import { RowKind } from '../transcript/rowTable';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import type { BitSet } from '../util/columns';
import { describeSession } from './describeSession';
import { readMetadata } from './readMetadata';
import { examineFacts } from './scanSession';

/** What is said of a transcript at one time, and, as rows are appended, at later times. */
export class LiveVerdict {
  readonly session: ScannedSession;
  /** The rows whose content reaches the request. */
  readonly kept: BitSet;
  /** Verdicts of one origin differ in nothing but rows that go on from the leaf of the first of them. */
  readonly origin: object;
  readonly #filePath: string;
  /** Null until somebody needs all of it: what was appended can mostly be told without. */
  #examination: Examination | null = null;
  /** Null when rows that are appended may change anything. */
  #growing: GrowingSession | null = null;
  #isReadyToGrow = false;

  constructor(
    filePath: string,
    readonly facts: TranscriptFacts,
    grown?: Pick<LiveVerdict, 'session' | 'kept' | 'origin'> & { readonly growing: GrowingSession },
  ) {
    this.#filePath = filePath;
    this.session = grown?.session ?? describeSession(filePath, this.examination);
    this.kept = grown?.kept ?? this.examination.resume.request.kept;
    this.origin = grown?.origin ?? {};
    if (grown === undefined) return;
    this.#growing = grown.growing;
    this.#isReadyToGrow = true;
  }

  /** Of the facts, so that it must be asked for first while they are good. */
  get examination(): Examination {
    this.#examination ??= examineFacts(this.facts);
    return this.#examination;
  }

  /** To be called while the facts are good, when the file may be read on: takes some milliseconds for 100,000 rows, once. */
  prepareToGrow(): void {
    if (this.#isReadyToGrow) return;
    this.#isReadyToGrow = true;
    this.#growing = GrowingSession.from(this.session, this.examination);
  }

  /**
   * What is said with the rows that were appended since; null when only a whole examination can tell, or nothing was prepared.
   * This verdict is of no use afterwards.
   */
  grow(facts: TranscriptFacts): LiveVerdict | null {
    const growing = this.#growing;
    const session = growing?.grow(facts) ?? null;
    if (growing === null || session === null || growing.kept === null) return null;
    return new LiveVerdict(this.#filePath, facts, { session, kept: growing.kept, origin: this.origin, growing });
  }
}

/** Shared by the tree, the panel, the tasks and the tokens. */
export const liveVerdict: SharedView<LiveVerdict> = {
  name: 'verdict',
  create: ({ facts }, { filePath }) => new LiveVerdict(filePath, facts),
  grow: (verdict, { facts }) => verdict.grow(facts),
  prepareToGrow: (verdict) => {
    verdict.prepareToGrow();
  },
};

/**
 * What is said of a transcript as rows are appended to it, without looking at the rows before them again. The findings
 * stay: whatever could add to them, or change one, needs a whole examination.
 */
export class GrowingSession {
  #session: ScannedSession;
  readonly #resume: GrowingResume;
  #rowCount: number;
  #kept: BitSet | null = null;
  readonly #oddities: string;

  private constructor(session: ScannedSession, resume: GrowingResume, facts: TranscriptFacts) {
    this.#session = session;
    this.#resume = resume;
    this.#rowCount = facts.rows.count;
    this.#oddities = oddities(facts);
  }

  /** `session` is what was said of the examined transcript. Null when growth may change anything. */
  static from(session: ScannedSession, { facts, resume }: Examination): GrowingSession | null {
    // A torn line is told in another way once it is not the last any more.
    if (facts.lineFaults.count('torn') > 0) return null;
    const growing = GrowingResume.from(facts, resume);
    return growing === null ? null : new GrowingSession(session, growing, facts);
  }

  /** The rows whose content reaches the request, as of the last growth; null before the first. */
  get kept(): BitSet | null {
    return this.#kept;
  }

  /** What is said of `facts`; null when only a whole examination can tell. This object is of no use then. */
  grow(facts: TranscriptFacts): ScannedSession | null {
    if (oddities(facts) !== this.#oddities) return null;
    const grown = this.#resume.grow(facts);
    if (grown === null) return null;
    this.#kept = grown.kept;
    const { result } = this.#session;
    let { messageCount } = result;
    for (let row = this.#rowCount; row < facts.rows.count; row++) {
      const kind = facts.rows.kind(row);
      if (kind === RowKind.user || kind === RowKind.assistant) messageCount++;
    }
    this.#rowCount = facts.rows.count;
    this.#session = {
      ...this.#session,
      result: {
        ...result,
        messageCount,
        chainDepth: grown.chainDepth,
        fileSize: facts.fileSize,
        resume: grown.summary,
      },
      metadata: readMetadata(facts),
    };
    return this.#session;
  }
}

/** Whatever findings are made of, beside the rows that go on from the leaf. */
function oddities({ boundaries, hookCalls, ids, lineFaults, unknownTypes }: TranscriptFacts): string {
  const faults = (['torn', 'glued', 'nul', 'bom'] as const).map((kind) => lineFaults.count(kind));
  const unknown = Array.from(unknownTypes.values(), ({ count }) => count);
  return [boundaries.length, hookCalls.size, ids.oddCount, ...faults, ...unknown].join();
}
