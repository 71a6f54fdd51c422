import type { ClientTally } from '../../protocol/usage';
import { scanFile } from '../transcript/scanFile';
import type { ScannerFactory } from '../transcript/scanner';
import type { Pacer } from '../util/scheduling';
import { ClientTallyReader, findNewestAnswer, type NewestAnswer } from './contextReader';
import type { UsageStamp } from './usageFiles';
import type { UsageFollower } from './usageReading';

/** The data for a session's figures that its messages do not provide. */
export interface SessionContext {
  readonly answer: NewestAnswer | null;
  readonly clientTally: ClientTally | null;
}

/** Maximum number of sessions whose context is kept. */
const MAX_KNOWN = 200;

interface Known {
  readonly tally: ClientTallyReader;
  readonly inode: bigint;
  stamp: UsageStamp | null;
  context: SessionContext;
}

/** Reads the contexts of sessions from their transcripts, and keeps the results. */
export class SessionContexts {
  readonly #createScanner: ScannerFactory;
  readonly #pacer: Pacer;
  /** By path, least recently requested first. */
  readonly #known = new Map<string, Known>();

  constructor(createScanner: ScannerFactory, pacer: Pacer) {
    this.#createScanner = createScanner;
    this.#pacer = pacer;
  }

  /**
   * Rejects with the file system's error.
   *
   * @param stamp the current stamp of the transcript
   * @param follower provides the newest answer without reading the transcript again; null if it is not followed
   */
  async read(filePath: string, stamp: UsageStamp, follower: UsageFollower | null): Promise<SessionContext> {
    const before = this.#known.get(filePath);
    const known: Known =
      before?.inode === stamp.inode
        ? before
        : {
            tally: new ClientTallyReader(filePath),
            inode: stamp.inode,
            stamp: null,
            context: { answer: null, clientTally: null },
          };
    this.#known.delete(filePath);
    this.#known.set(filePath, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    if (known.stamp?.size !== stamp.size || known.stamp.mtimeNs !== stamp.mtimeNs) {
      const answer = follower === null ? await this.#findAnswer(filePath) : follower.newestAnswer;
      known.context = { answer, clientTally: await known.tally.read(this.#pacer) };
      known.stamp = stamp;
    }
    return known.context;
  }

  async #findAnswer(filePath: string): Promise<NewestAnswer | null> {
    const scan = { withUsage: true, withHashes: false, pacer: this.#pacer };
    const { index } = await scanFile(filePath, this.#createScanner, scan);
    return findNewestAnswer(index);
  }
}
