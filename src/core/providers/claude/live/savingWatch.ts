import type { UnsavedCause } from '../../../../protocol/channels/alarms';
import type { ClientRecord } from './registry';

/** The transcript of a running session and what stands beside it, as they were at one moment. Times are in milliseconds since the epoch. */
export interface Sighting {
  readonly record: ClientRecord;
  /** Null if there is none. */
  readonly transcript: TranscriptSighting | null;
  /** When the client last changed the folders in which it keeps other files of the session; 0 if there are none. */
  readonly sideMs: number;
}

export interface TranscriptSighting {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly mtimeMs: number;
  /** Another file at the same path has another one. */
  readonly identity: string;
  /** Its last row has its end: a client on a full disk writes the beginning of one. */
  readonly isWhole: boolean;
}

/** What is only asked for when something seems wrong, because the answer takes longer. */
export interface SavingQuestions {
  /** What prevents a client from writing the transcript, as far as it can be seen; null if nothing does. */
  obstacle(sighting: Sighting): Extract<UnsavedCause, 'full-disk' | 'read-only'> | null;
  /** When a subagent of the session last wrote, in milliseconds since the epoch; 0 if none did. */
  subagentMs(sighting: Sighting): number;
  /** Whether somebody asked the client to save nothing. */
  isUnsavedOnPurpose(record: ClientRecord): boolean;
}

/** A client that runs a session and does not write it. */
export interface UnsavedClient {
  readonly record: ClientRecord;
  readonly cause: UnsavedCause;
  /** Path of the transcript as it was last seen; null if it never was. */
  readonly transcriptPath: string | null;
}

/** Healthy clients wrote the first row of a turn, and the last one of it, within 0.6 s. (docs/format.md, "Live processes") */
const UNWRITTEN_MS = 10_000;
/** Between the first or last row of a turn and its status, at most. */
const PROMPT_MS = 1_000;
/** Commands such as `/btw` make a client busy for a moment and write nothing: 90 ms at most, as measured. */
const SHORTEST_TURN_MS = 2_000;
/** For so long, a transcript may be missing while it is renamed. */
const MISSING_MS = 3_000;
/** Time between two looks for an obstacle. */
const PROBE_MS = 5_000;
/** What the client waits for while it shows a list or a form of its own. */
const OWN_DIALOG = 'dialog open';

/**
 * Finds clients that save nothing. To be given all running sessions at each look, it remembers what it saw of them. A client is only
 * accused if two things agree: it does something, and nothing is written, although there was time, or although a prompt is always
 * written at once.
 */
export class SavingWatch {
  readonly #clients = new Map<string, WatchedClient>();

  constructor(private readonly questions: SavingQuestions) {}

  /** @param sightings of all clients that run a session; one that is missing has ended */
  look(sightings: readonly Sighting[], nowMs: number): readonly UnsavedClient[] {
    const seen = new Set<string>();
    const unsaved: UnsavedClient[] = [];
    for (const sighting of sightings) {
      const { pid, startedMs, sessionId } = sighting.record;
      // A client that goes on with another session has a transcript of its own for it.
      const key = [pid, startedMs, sessionId].join(' ');
      seen.add(key);
      const known = this.#clients.get(key);
      const client = known ?? new WatchedClient(sighting);
      if (known === undefined) this.#clients.set(key, client);
      else client.see(sighting, nowMs);
      const cause = client.judge(sighting, nowMs, this.questions);
      if (cause !== null) unsaved.push({ record: sighting.record, cause, transcriptPath: client.transcriptPath });
    }
    for (const key of this.#clients.keys()) if (!seen.has(key)) this.#clients.delete(key);
    return unsaved;
  }
}

/** A turn whose beginning was seen. Times are in milliseconds since the epoch. */
interface Turn {
  readonly startMs: number;
  /** Null while it lasts. */
  endMs: number | null;
  /** Something was written since its beginning. */
  hasWritten: boolean;
}

class WatchedClient {
  transcriptPath: string | null;
  #last: Sighting;
  /** The transcript as it was when the client last wrote whole rows. */
  #written: TranscriptSighting | null;
  #largest: number;
  #turn: Turn | null = null;
  /** Other files changed since the last write. */
  #isSideAhead = false;
  /** When the client last did something without writing since, in milliseconds since the epoch. */
  #movedMs: number | null = null;
  #missingSinceMs: number | null = null;
  #probedMs = Number.NEGATIVE_INFINITY;
  /** It stays: what was not written once never comes. */
  #cause: UnsavedCause | null = null;

  constructor(first: Sighting) {
    this.#last = first;
    this.#written = first.transcript;
    this.#largest = first.transcript?.size ?? 0;
    this.transcriptPath = first.transcript?.path ?? null;
  }

  see(sighting: Sighting, nowMs: number): void {
    const { record, transcript, sideMs } = sighting;
    const before = this.#last;
    this.#last = sighting;
    this.#noteMissing(sighting, nowMs);
    const hasWritten = transcript !== null && transcript.isWhole && !isSame(transcript, this.#written);
    const isBusy = record.status === 'busy';
    if (isBusy && before.record.status !== 'busy' && isAtRest(before.record)) {
      const startMs = record.statusMs ?? nowMs;
      // Its prompt may have been written between the reading of the record and that of the transcript.
      const hasBegun = (before.transcript?.mtimeMs ?? 0) > startMs - PROMPT_MS;
      this.#turn = { startMs, endMs: null, hasWritten: hasBegun };
    } else if (this.#turn?.endMs === null && isAtRest(record)) this.#turn.endMs = record.statusMs ?? nowMs;
    if (hasWritten) {
      this.#written = transcript;
      this.#largest = Math.max(this.#largest, transcript.size);
      this.transcriptPath = transcript.path;
      if (this.#turn !== null) this.#turn.hasWritten = true;
      this.#isSideAhead = false;
      this.#movedMs = hasMovedAfter(record, transcript) ? nowMs : null;
      return;
    }
    if (sideMs > before.sideMs) this.#isSideAhead = true;
    const isMove = record.status !== before.record.status || record.statusMs !== before.record.statusMs;
    // On a full disk, the turn may have been seen to end before only a part of its last row was written.
    const isTorn = transcript !== null && !isSame(transcript, this.#written);
    if (isTorn || (isMove && !isOwnDialog(record) && !isOwnDialog(before.record))) this.#movedMs ??= nowMs;
  }

  judge(sighting: Sighting, nowMs: number, questions: SavingQuestions): UnsavedCause | null {
    if (this.#cause !== null) return this.#cause;
    if (this.#missingSinceMs !== null && nowMs - this.#missingSinceMs >= MISSING_MS) return (this.#cause = 'deleted');
    const isStalled = this.#isTurnUnwritten(nowMs) || this.#isResultUnwritten(sighting, nowMs, questions);
    const hasMoved = this.#movedMs !== null && nowMs - this.#movedMs >= UNWRITTEN_MS;
    if ((!isStalled && !hasMoved) || nowMs - this.#probedMs < PROBE_MS) return null;
    this.#probedMs = nowMs;
    const obstacle = questions.obstacle(sighting);
    if (obstacle === null && !isStalled) return null;
    if (questions.isUnsavedOnPurpose(sighting.record)) return null;
    return (this.#cause = obstacle ?? 'unknown');
  }

  /** A transcript that was there is gone, or was gone and has been begun anew. */
  #noteMissing({ transcript }: Sighting, nowMs: number): void {
    if (transcript === null) {
      if (this.transcriptPath !== null) this.#missingSinceMs ??= nowMs;
      return;
    }
    this.#missingSinceMs = null;
    const isAnother = this.#written !== null && this.#written.identity !== transcript.identity;
    if (isAnother && transcript.size < this.#largest / 2) this.#cause = 'deleted';
  }

  /** The prompt of a turn is written at once. */
  #isTurnUnwritten(nowMs: number): boolean {
    if (this.#turn === null || this.#turn.hasWritten) return false;
    const { startMs, endMs } = this.#turn;
    return nowMs - startMs >= UNWRITTEN_MS && (this.#isSideAhead || (endMs ?? nowMs) - startMs >= SHORTEST_TURN_MS);
  }

  /** The turn is over, and all results of its calls should be in the transcript. */
  #isResultUnwritten(sighting: Sighting, nowMs: number, questions: SavingQuestions): boolean {
    const endMs = this.#turn?.endMs ?? null;
    if (!this.#isSideAhead || endMs === null || nowMs - endMs < UNWRITTEN_MS) return false;
    return questions.subagentMs(sighting) < sighting.sideMs;
  }
}

/** Between two looks, rows may be written, and those of a further prompt not. */
function hasMovedAfter(record: ClientRecord, { mtimeMs }: TranscriptSighting): boolean {
  return record.statusMs !== null && record.statusMs - mtimeMs > PROMPT_MS && !isOwnDialog(record);
}

/** The client waits for the person, who has not been asked anything. */
function isAtRest(record: ClientRecord): boolean {
  return record.status === 'idle' || record.status === 'shell' || isOwnDialog(record);
}

function isOwnDialog({ status, waitingFor }: ClientRecord): boolean {
  return status === 'waiting' && waitingFor === OWN_DIALOG;
}

function isSame(a: TranscriptSighting, b: TranscriptSighting | null): boolean {
  return b !== null && a.size === b.size && a.mtimeMs === b.mtimeMs && a.identity === b.identity;
}
