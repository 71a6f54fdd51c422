import type { SessionsUpdate, WorkerConfiguration, WorkerEvents } from '../../shared/api/worker';
import type { SessionEnd } from '../../shared/message';
import type { Engine } from '../engine';
import type { FirstLook } from './catalogEntry';
import type { CatalogFiles } from './catalogFiles';
import type { Clock } from './clock';
import type { SessionCache } from './sessionCache/sessionCache';
import type { WorkspaceFolder } from './workspaceMatch';

/** What a catalog of sessions stands on. */
export interface CatalogParts {
  readonly engine: Engine;
  readonly cache: SessionCache | null;
  readonly files: CatalogFiles;
  /** Never rejects; null when the file cannot be read. */
  readonly readEnds: (filePath: string) => Promise<FirstLook | null>;
  /** Never rejects; null when the file does not tell. `leafUuid`: of the row that a resume goes on from. */
  readonly readSessionEnd: (filePath: string, leafUuid: string) => Promise<SessionEnd | null>;
  readonly clock: Clock;
  readonly log: WorkerEvents['log'];
  readonly send: (update: SessionsUpdate) => void | Promise<void>;
  readonly nextRevision: () => number;
  /** The person's home folder. */
  readonly homeDir: string;
}

/** A configuration, with what was looked up of it. */
export interface CatalogSetup {
  readonly configuration: WorkerConfiguration;
  readonly workspaceFolders: readonly WorkspaceFolder[];
}
