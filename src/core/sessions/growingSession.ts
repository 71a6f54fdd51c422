import type { ScannedSession } from '../../protocol/session';
import type { Examination } from '../faults/examination';
import { GrowingResume } from '../resume/growingResume';
import { RowKind } from '../transcript/rowTable';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import type { BitSet } from '../util/columns';
import { readMetadata } from './readMetadata';

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
