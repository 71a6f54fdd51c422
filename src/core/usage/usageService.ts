import { resolve } from 'node:path';
import type { UsageApi, UsageEvents, UsageExport, UsageView } from '../../shared/api/usage';
import type { SessionUsage, UsageGrouping, UsageOverview, UsageReport } from '../../shared/usage';
import { createPacer } from '../util/pacer';
import type { WriteDeps } from '../write/openTranscript';
import { writeExport } from '../write/writeExport';
import { describeOverview } from './describeOverview';
import { describeReport } from './describeReport';
import { describeSessionUsage, describeSpending } from './describeSessionUsage';
import { LocalDays } from './localDays';
import { PriceBook } from './priceBook';
import { RecentCells } from './recentCells';
import { SessionLooks } from './sessionLooks';
import { UsageCounter, type UsageCounterParts } from './usageCounter';
import { usageCsv } from './usageCsv';
import { UsageWatch } from './usageWatch';

export interface UsageServiceParts extends Omit<UsageCounterParts, 'configDir' | 'cache'> {
  /** Absolute path; null while it is not known. */
  readonly configDir: () => string | null;
  readonly openCache: (configDir: string) => UsageCounterParts['cache'];
  readonly events: UsageEvents;
  readonly write: Pick<WriteDeps, 'fs' | 'random'>;
}

/** Longest work between two turns of the event loop. */
const TURN_MS = 10;

/** Answers what is asked of tokens. Costs nothing before the first call. */
export class UsageService implements UsageApi {
  readonly #parts: UsageServiceParts;
  readonly #looks: SessionLooks;
  #configDir: string | null = null;
  #counter: UsageCounter | null = null;
  #watch: UsageWatch | null = null;
  #revision = 0;
  readonly #recent = new RecentCells();
  /** Of the view that was asked for last: to make them takes longer than to use them. */
  #view: { readonly key: string; readonly calendar: LocalDays; readonly prices: PriceBook } | null = null;

  constructor(parts: UsageServiceParts) {
    this.#parts = parts;
    this.#looks = new SessionLooks(parts.createScanner, createPacer(TURN_MS));
  }

  // eslint-disable-next-line @typescript-eslint/require-await -- whatever it throws is to reject
  async watchUsage(view: UsageView | null): Promise<UsageOverview | null> {
    this.#watch?.stop();
    this.#watch = null;
    if (view === null) return null;
    const counter = this.#current();
    const overview = this.#overview(counter, view);
    const { clock, events } = this.#parts;
    this.#watch = new UsageWatch({
      counter,
      clock,
      tell: async () => {
        await events.usageChanged(this.#overview(counter, view));
      },
    });
    this.#watch.start();
    return overview;
  }

  async sessionUsage(path: string, view: UsageView): Promise<SessionUsage | null> {
    const filePath = resolve(path);
    const counter = this.#current();
    const found = await counter.countSession(filePath);
    if (found === null) return null;
    const { prices } = this.#forView(view);
    const look = await this.#looks.look(filePath, found.stamp, counter.follower(filePath));
    const { ledger } = counter.book;
    const file = ledger.file(filePath);
    if (file === null) return null;
    const spending = describeSpending(ledger, file.session, prices);
    return describeSessionUsage({ filePath, sessionId: file.session.sessionId, spending, ...look }, prices);
  }

  /** Everything, once it is counted. */
  async usageReport(by: UsageGrouping, view: UsageView): Promise<UsageReport> {
    const { calendar, prices } = this.#forView(view);
    const counter = this.#current();
    await counter.count();
    return describeReport(counter.book, by, calendar, prices);
  }

  async exportUsage(by: UsageGrouping, view: UsageView, target: string): Promise<UsageExport> {
    const report = await this.usageReport(by, view);
    const written = await writeExport(resolve(target), null, [usageCsv(by, report)], this.#parts.write);
    return { problem: written.kind === 'failed' ? written.problem : null };
  }

  /** Nothing is read any more; what was counted is kept. */
  async close(): Promise<void> {
    this.#watch?.stop();
    this.#watch = null;
    this.#counter?.close();
    await this.#counter?.save();
  }

  #overview(counter: UsageCounter, view: UsageView): UsageOverview {
    const { calendar, prices } = this.#forView(view);
    const { book, waiting, isListed, problem } = counter;
    const question = {
      timeZone: view.timeZone,
      calendar,
      prices,
      nowMs: this.#parts.clock.now(),
      cwdOf: (project: string) => book.cwdOf(project),
    };
    const figures = describeOverview(book.ledger, question, this.#recent);
    return {
      revision: ++this.#revision,
      ...figures,
      files: { total: book.files.size + counter.unread, waiting, isListing: !isListed },
      problem,
    };
  }

  #current(): UsageCounter {
    const configDir = this.#parts.configDir();
    if (configDir === null) throw new Error('Failed to count tokens: the config folder is not known');
    if (this.#counter !== null && this.#configDir === configDir) return this.#counter;
    this.#watch?.stop();
    this.#counter?.close();
    void this.#counter?.save();
    this.#configDir = configDir;
    this.#counter = new UsageCounter({ ...this.#parts, configDir, cache: this.#parts.openCache(configDir) });
    return this.#counter;
  }

  #forView(view: UsageView): { readonly calendar: LocalDays; readonly prices: PriceBook } {
    const key = JSON.stringify(view);
    if (this.#view?.key !== key) {
      this.#view = { key, calendar: new LocalDays(view.timeZone), prices: new PriceBook(view.priceOverrides) };
    }
    return this.#view;
  }
}
