/** What is known of a task where dependencies are looked at. */
interface Linked {
  readonly id: string;
  readonly status: string;
  readonly blockedBy: Iterable<string>;
}

/**
 * Ids of the tasks that wait for themselves, directly or over others: each is in a ring of tasks that are not done. Takes
 * chains of any length.
 */
export function findCycles(tasks: readonly Linked[]): ReadonlySet<string> {
  const open = new Map(tasks.filter(({ status }) => status !== 'completed').map((task) => [task.id, task]));
  const blockers = new Map<string, readonly string[]>();
  for (const [id, { blockedBy }] of open)
    blockers.set(
      id,
      [...blockedBy].filter((blocker) => open.has(blocker)),
    );
  return new RingSearch(blockers).rings;
}

interface Visit {
  readonly id: string;
  readonly blockers: readonly string[];
  next: number;
}

/** Tarjan's search for strongly connected parts, without recursion. */
class RingSearch {
  readonly rings = new Set<string>();
  readonly #blockers: ReadonlyMap<string, readonly string[]>;
  readonly #number = new Map<string, number>();
  readonly #lowest = new Map<string, number>();
  readonly #part: string[] = [];
  readonly #inPart = new Set<string>();

  constructor(blockers: ReadonlyMap<string, readonly string[]>) {
    this.#blockers = blockers;
    for (const id of blockers.keys()) if (!this.#number.has(id)) this.#search(id);
  }

  #search(first: string): void {
    const visits: Visit[] = [this.#enter(first)];
    for (let top = visits.at(-1); top !== undefined; top = visits.at(-1)) {
      const blocker = top.blockers[top.next++];
      if (blocker === undefined) {
        visits.pop();
        this.#leave(top, visits.at(-1)?.id ?? null);
      } else if (!this.#number.has(blocker)) visits.push(this.#enter(blocker));
      else if (this.#inPart.has(blocker)) this.#lower(top.id, this.#number.get(blocker) ?? 0);
    }
  }

  #enter(id: string): Visit {
    const number = this.#number.size;
    this.#number.set(id, number);
    this.#lowest.set(id, number);
    this.#part.push(id);
    this.#inPart.add(id);
    return { id, blockers: this.#blockers.get(id) ?? [], next: 0 };
  }

  #leave({ id, blockers }: Visit, above: string | null): void {
    const lowest = this.#lowest.get(id) ?? 0;
    if (above !== null) this.#lower(above, lowest);
    if (lowest !== this.#number.get(id)) return;
    const part = this.#part.splice(this.#part.lastIndexOf(id));
    for (const member of part) this.#inPart.delete(member);
    if (part.length > 1 || blockers.includes(id)) for (const member of part) this.rings.add(member);
  }

  #lower(id: string, number: number): void {
    this.#lowest.set(id, Math.min(this.#lowest.get(id) ?? number, number));
  }
}
