import * as v from 'valibot';
import type { SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { SessionRef } from '../../protocol/session';
import { Disposable, Emitter } from '../lifetime';
import type { ChoiceMemory } from './sessionFilter';

/** The key in the global state under which the pins are stored. It is not synchronised with other machines. */
const KEPT_PINS = 'pinnedSessions';

const KEPT = v.array(v.object({ path: v.string(), id: v.string() }));

type Pin = v.InferOutput<typeof KEPT>[number];

/** Maximum number of pins; the latest ones are kept. */
const MAX_PINS = 500;

/** The sessions that the person pinned, in all windows. */
export class SessionPins extends Disposable {
  readonly #changed = this._register(new Emitter<void>());
  readonly #memory: ChoiceMemory;
  /** By path, in the order in which they were pinned. */
  #pins: ReadonlyMap<string, Pin>;

  readonly onChange = this.#changed.event;

  constructor(memory: ChoiceMemory) {
    super();
    this.#memory = memory;
    this.#pins = read(memory);
  }

  has({ path, id }: Pick<SessionRef, 'path' | 'id'>): boolean {
    return this.#pins.get(path)?.id === id;
  }

  /** The pinned sessions of a snapshot. One that was deleted, or moved to another folder, is not among them. */
  of({ projects }: Pick<SessionsSnapshot, 'projects'>): readonly SessionSummary[] {
    if (this.#pins.size === 0) return [];
    return projects.flatMap(({ sessions }) => sessions.filter((session) => this.has(session)));
  }

  async set(sessions: readonly SessionRef[], isPinned: boolean): Promise<void> {
    // Another window may have changed them.
    const pins = new Map(read(this.#memory));
    for (const { path, id } of sessions) {
      pins.delete(path);
      if (isPinned) pins.set(path, { path, id });
    }
    this.#pins = new Map([...pins].slice(-MAX_PINS));
    this.#changed.fire();
    await this.#memory.update(KEPT_PINS, [...this.#pins.values()]);
  }
}

function read(memory: ChoiceMemory): ReadonlyMap<string, Pin> {
  const kept = v.safeParse(KEPT, memory.get(KEPT_PINS));
  return new Map((kept.success ? kept.output : []).map((pin) => [pin.path, pin]));
}
