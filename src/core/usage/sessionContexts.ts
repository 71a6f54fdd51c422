import type { ClientTally } from '../../protocol/usage';
import type { ScannerFactory } from '../transcript/scanner';
import type { Pacer } from '../util/scheduling';
import { ClientTallyReader, findNewestAnswer, type NewestAnswer } from './contextReader';
import type { UsageStamp } from './usageFiles';
import { readUsage, type UsageFollower } from './usageReading';

/** What a session's own figures are made of, beside its messages. */
export interface SessionContext {
  readonly answer: NewestAnswer | null;
  readonly clientTally: ClientTally | null;
}

/** Bound of the sessions that are remembered. */
const MAX_KNOWN = 200;

interface Known {
  readonly tally: ClientTallyReader;
  readonly inode: bigint;
  stamp: UsageStamp | null;
  look: SessionContext;
}

/** Looks at transcripts for what only their own figures need, and remembers what it saw. */
export class SessionContexts {
  readonly #createScanner: ScannerFactory;
  readonly #pacer: Pacer;
  /** The one that was asked for last comes last. */
  readonly #known = new Map<string, Known>();

  constructor(createScanner: ScannerFactory, pacer: Pacer) {
    this.#createScanner = createScanner;
    this.#pacer = pacer;
  }

  /** `stamp` is that of the transcript; one that is followed need not be read again. Rejects with the file system's error. */
  async look(filePath: string, stamp: UsageStamp, follower: UsageFollower | null): Promise<SessionContext> {
    const before = this.#known.get(filePath);
    const known: Known =
      before?.inode === stamp.inode
        ? before
        : {
            tally: new ClientTallyReader(filePath),
            inode: stamp.inode,
            stamp: null,
            look: { answer: null, clientTally: null },
          };
    this.#known.delete(filePath);
    this.#known.set(filePath, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    if (known.stamp?.size !== stamp.size || known.stamp.mtimeNs !== stamp.mtimeNs) {
      const answer = follower === null ? await this.#findAnswer(filePath) : follower.newestAnswer;
      known.look = { answer, clientTally: await known.tally.read(this.#pacer) };
      known.stamp = stamp;
    }
    return known.look;
  }

  async #findAnswer(filePath: string): Promise<NewestAnswer | null> {
    const { index } = await readUsage(filePath, this.#createScanner, this.#pacer);
    return findNewestAnswer(index);
  }
}
