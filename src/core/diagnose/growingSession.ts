import type { ScannedSession } from '../../protocol/session';
import { GrowingResume } from '../providers/claude/loader/growing';
import { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import { LARGE_FILE_BYTES } from '../transcript/byteRows';
import type { SharedView } from '../transcript/liveTranscript';
import { RowKind } from '../transcript/rowFlags';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import type { BitSet } from '../util/columns';
import type { Check } from './check';
import { describeSession, endsWithError, readMetadata, statusOf, withRequestFindings } from './scanSession';
import { canDiagnoseGrowth, diagnoseGrown, type Diagnostics, diagnosticsFor } from './verdict';

/** The verdict on a transcript at one time. `grow` gives the verdict after rows were appended. */
export class LiveVerdict {
  readonly session: ScannedSession;
  /** The rows whose content reaches the request. */
  readonly kept: BitSet;
  /** Verdicts with the same origin differ only in rows that continue the leaf of the first of them. */
  readonly origin: object;
  readonly #filePath: string;
  readonly #diagnostics: Diagnostics;
  /** Null until needed: most appended rows can be described without it. */
  #loaded: LoadedTranscript | null = null;
  /** Null if appended rows may change any part of the verdict. */
  #growing: GrowingSession | null = null;
  #isReadyToGrow = false;

  constructor(
    filePath: string,
    readonly index: TranscriptIndex,
    diagnostics: Diagnostics,
    grown?: Pick<LiveVerdict, 'session' | 'kept' | 'origin'> & { readonly growing: GrowingSession },
  ) {
    this.#filePath = filePath;
    this.#diagnostics = diagnostics;
    this.session = grown?.session ?? this.#describe();
    this.kept = grown?.kept ?? this.loaded.resume.request.kept;
    this.origin = grown?.origin ?? {};
    if (grown === undefined) return;
    this.#growing = grown.growing;
    this.#isReadyToGrow = true;
  }

  #describe(): ScannedSession {
    const session = describeSession(this.#filePath, this.loaded, this.#diagnostics);
    if (!endsWithError(this.index)) return session;
    try {
      return withRequestFindings(session, this.#filePath, this.loaded);
    } catch {
      // The next reading of the file reports the reason.
      return session;
    }
  }

  /** Computed from the facts, so the first access must happen while they are valid. */
  get loaded(): LoadedTranscript {
    this.#loaded ??= new LoadedTranscript(this.index, this.#diagnostics.rules);
    return this.#loaded;
  }

  /** Call it while the facts are valid and before more of the file is read. Takes a few milliseconds for 100,000 rows, once. */
  prepareToGrow(): void {
    if (this.#isReadyToGrow) return;
    this.#isReadyToGrow = true;
    this.#growing = GrowingSession.from(this.session, this.loaded, this.#diagnostics.checks);
  }

  /**
   * The verdict with the rows that were appended since; null if only loading the whole transcript can tell, or if
   * `prepareToGrow` was not called. This verdict is invalid afterwards.
   */
  grow(index: TranscriptIndex): LiveVerdict | null {
    const growing = this.#growing;
    const session = growing?.grow(index) ?? null;
    if (growing === null || session === null || growing.kept === null) return null;
    const grown = { session, kept: growing.kept, origin: this.origin, growing };
    return new LiveVerdict(this.#filePath, index, this.#diagnostics, grown);
  }
}

/** The verdict shared by all who open a transcript and ask for the same client and the same checks. */
export function liveVerdictBy(diagnostics: Diagnostics): SharedView<LiveVerdict> {
  const { client, rules, checks } = diagnostics;
  return {
    name: `verdict ${client.version} ${JSON.stringify(rules)} ${checks.map(({ code }) => code).join(' ')}`,
    create: ({ index }, { filePath }) => new LiveVerdict(filePath, index, diagnostics),
    grow: (verdict, { index }) => verdict.grow(index),
    prepareToGrow: (verdict) => {
      verdict.prepareToGrow();
    },
  };
}

/** For everything shown beside a conversation, its tasks and its tokens: the rules of the newest measured client. */
export const DIAGNOSTICS = diagnosticsFor();
export const liveVerdict = liveVerdictBy(DIAGNOSTICS);

/**
 * The description of a transcript as rows are appended to it. Earlier rows are not loaded again while `GrowingResume`
 * can process the appended rows and no check depends on more than those rows leave unchanged.
 */
export class GrowingSession {
  #session: ScannedSession;
  readonly #resume: GrowingResume;
  readonly #checks: readonly Check[];
  #rowCount: number;
  #kept: BitSet | null = null;

  private constructor(session: ScannedSession, resume: GrowingResume, rowCount: number, checks: readonly Check[]) {
    this.#session = session;
    this.#resume = resume;
    this.#rowCount = rowCount;
    this.#checks = checks;
  }

  /** `session` describes the loaded transcript. Null if growth may change anything. */
  static from(session: ScannedSession, loaded: LoadedTranscript, checks: readonly Check[]): GrowingSession | null {
    const { index, resume } = loaded;
    // Appended rows may make a file readable, and end a value that hides rows.
    // What the API refuses after an error, the history as a whole tells.
    const isSettled = session.problem === null && !hidesRowsByTearing(index) && !endsWithError(index);
    const mayGrow = isSettled && canDiagnoseGrowth(checks, session.result.findings, loaded);
    const growing = mayGrow ? GrowingResume.from(index, resume) : null;
    return growing === null ? null : new GrowingSession(session, growing, index.rows.count, checks);
  }

  /** The rows whose content reaches the request, as of the last growth; null before the first. */
  get kept(): BitSet | null {
    return this.#kept;
  }

  /** The session as `index` describes it; null if only loading it as a whole can tell. This object is then invalid. */
  grow(index: TranscriptIndex): ScannedSession | null {
    const grown = endsWithError(index) ? null : this.#resume.grow(index);
    if (grown === null) return null;
    this.#kept = grown.kept;
    const { result } = this.#session;
    let { messageCount } = result;
    for (let row = this.#rowCount; row < index.rows.count; row++) {
      const kind = index.rows.kind(row);
      if (kind === RowKind.user || kind === RowKind.assistant) messageCount++;
    }
    this.#rowCount = index.rows.count;
    const findings = diagnoseGrown(
      { index, rules: this.#resume.rules, history: grown.history, isKept: (row) => grown.kept.has(row) },
      result.findings,
      this.#checks,
    );
    this.#session = {
      ...this.#session,
      result: {
        ...result,
        status: statusOf(findings),
        messageCount,
        chainDepth: grown.chainDepth,
        fileSize: index.fileSize,
        resume: { ...result.resume, ...grown.summary },
        findings,
      },
      metadata: readMetadata(index),
    };
    return this.#session;
  }
}

function hidesRowsByTearing({ lineFaults, fileSize }: TranscriptIndex): boolean {
  if (lineFaults.count('torn') === 0 || fileSize > LARGE_FILE_BYTES) return false;
  for (const fault of lineFaults.ofKind('torn')) if (fault.hidesRow) return true;
  return false;
}
