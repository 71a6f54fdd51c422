import type { Random } from '../../support/random';
import type { Fault, FaultyFs, FsCall } from '../../unit/storage/faultyFs';
import type { Piece } from './contents';

/** What an operation does to a person's files, described so that all operations meet the same faults. */
export interface Operation {
  /** Its row in the table of counts. */
  readonly name: string;
  /** What is special about its scene; empty if nothing is. */
  readonly where: string;
  /** Whether one run takes so long that, at CI size, each call meets one kind of fault only. */
  readonly isSlow: boolean;
  /** At CI size, one call in so many is tried. */
  readonly stride: number;
  /** Opens the scene in which each call is tried, or one that is put together at random. */
  open(random: Random | null, use: (stage: Stage) => Promise<void>): Promise<void>;
}

/** `refused`: nothing was done, and the person was told why. */
export type Ending = 'done' | 'refused';

/** A scene that can be set up again and again. */
export interface Stage {
  /** Everything is as before the operation. */
  reset(): void | Promise<void>;
  run(fs: FaultyFs): Promise<Ending>;
  /** Everything that stood in the person's files when the operation was begun, or was written since. */
  pieces(): readonly Piece[];
  /** The files in which a piece counts as kept: its own, and those from which the next command or the person gets it back. */
  holders(): readonly string[];
  /** What distinguishes the person's files from how they were, and from how they are meant to be, one line each. */
  differences(): Differences | Promise<Differences>;
  /** After a run that met one fault and has ended by itself: it is complete or without effect, and left nothing behind. */
  assertEnded(ending: Ending, met: { readonly call: FsCall; readonly fault: InjectedFault }): void | Promise<void>;
  /** Much later: what a dead process holds does not count any more. */
  age(): void;
  /** What a person may do next, each of which clears up. */
  readonly next: readonly [NextCommand, ...NextCommand[]];
  /** Hidden files and locks of ours, one line each. */
  debris(): Promise<readonly string[]>;
}

export type Differences = Readonly<Record<'before' | 'after', readonly string[]>>;

export interface NextCommand {
  readonly name: string;
  /** Null if that depends on how far the operation had come. */
  readonly leadsTo: 'before' | 'after' | null;
  run(fs: FaultyFs): Promise<void>;
}

/** A fault of one call, or of it and the following ones. */
export interface InjectedFault {
  /** Continues “whichever call …”. */
  readonly label: string;
  readonly fault: Fault;
  /** How many calls meet it, from the first on. */
  readonly calls: number;
}

const CODES = ['EIO', 'ENOSPC', 'EACCES', 'EROFS', 'EPERM', 'EBUSY', 'EMFILE'] as const;

export const FAULTS: readonly InjectedFault[] = [
  ...CODES.map((code): InjectedFault => {
    return { label: `fails with ${code}`, fault: { kind: 'fails', code }, calls: 1 };
  }),
  { label: 'takes effect but returns EIO', fault: { kind: 'failsAfterwards', code: 'EIO' }, calls: 1 },
  { label: 'does only half', fault: { kind: 'short' }, calls: 1 },
  { label: 'fails with EIO, as do the three after it', fault: { kind: 'fails', code: 'EIO' }, calls: 4 },
  { label: 'fails with EIO, and all later ones do', fault: { kind: 'fails', code: 'EIO' }, calls: Infinity },
];

/** Whether a fault can have an effect on a call. */
export function concerns({ fault }: InjectedFault, { name }: FsCall): boolean {
  return fault.kind !== 'short' || name === 'read' || name === 'write';
}
