import type { PriceBook } from './priceBook';
import { SpendingTable } from './spendingTable';
import type { UsageLedger } from './usageLedger';

/** What was used before the days of a view begin, and the cells that are not. */
interface EarlierSums {
  /** A row for each model. */
  readonly byModel: SpendingTable;
  /** A row for each project. */
  readonly byProject: SpendingTable;
  /** Places of the cells from the first day on. */
  readonly recent: readonly number[];
}

type Cells = UsageLedger['cells'];

/** Remembers what does not change any more, until something of it does. */
export class RecentCells {
  #cells: Cells | null = null;
  #prices: PriceBook | null = null;
  #first = 0;
  #count = 0;
  #models = 0;
  #projects = 0;
  #sums: EarlierSums & { readonly recent: number[] } = emptySums(0, 0);

  /** `first` is the first quarter of the view's days. */
  update(ledger: Pick<UsageLedger, 'cells' | 'models' | 'projects'>, first: number, prices: PriceBook): EarlierSums {
    const { cells, models, projects } = ledger;
    const isSame =
      this.#cells === cells &&
      this.#prices === prices &&
      this.#first === first &&
      this.#models === models.length &&
      this.#projects === projects.length &&
      cells.earliestChange >= first;
    if (!isSame) this.#count = 0;
    if (!isSame) this.#sums = emptySums(models.length, projects.length);
    const { byModel, byProject, recent } = this.#sums;
    for (; this.#count < cells.count; this.#count++) {
      if (cells.quarterAt(this.#count) >= first) recent.push(this.#count);
    }
    if (!isSame) {
      cells.forEach((cell) => {
        if (cell.quarter >= first) return;
        const price = prices.of(models[cell.model] ?? null)?.at(cell.quarter, cell.isLong) ?? null;
        byModel.add(cell.model, cell.messages, cell, price);
        byProject.add(cell.project, cell.messages, cell, price);
      });
    }
    cells.forgetChanges();
    this.#cells = cells;
    this.#prices = prices;
    this.#first = first;
    this.#models = models.length;
    this.#projects = projects.length;
    return this.#sums;
  }
}

function emptySums(models: number, projects: number): EarlierSums & { readonly recent: number[] } {
  return { byModel: new SpendingTable(models), byProject: new SpendingTable(projects), recent: [] };
}
