import type { ComponentChildren, JSX } from 'preact';
import type { TokensChart } from '../../../protocol/channels/tokensView';
import { type Spending, totalTokens } from '../../../protocol/usage';
import type { Translate } from '../../ui/texts';
import { Icon } from '../../ui/Icon';
import { Cost, Tokens } from '../figures';
import { useApp } from '../tokensApp';

/** The data of a chart: headings, and a row for each mark of the chart. */
export interface ChartTable {
  /** The first one is the heading of the labels. */
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    readonly label: string;
    readonly detail?: string | undefined;
    /** One for each further column. */
    readonly cells: readonly ComponentChildren[];
  }[];
}

export interface TableBehindProps {
  readonly chart: TokensChart;
  /** Title of the chart. */
  readonly title: string;
  readonly table: ChartTable;
}

/** The data of a chart as a readable table. */
export function TableBehind({ chart, title, table }: TableBehindProps): JSX.Element {
  const { navigation, t } = useApp();
  const { tables } = navigation.value;
  const isOpen = tables.includes(chart);
  return (
    <>
      <button
        type="button"
        class="disclosure"
        aria-expanded={isOpen}
        aria-label={`${t('Show as table')}: ${title}`}
        onClick={() => {
          const others = tables.filter((each) => each !== chart);
          navigation.value = { ...navigation.peek(), tables: isOpen ? others : [...others, chart] };
        }}
      >
        <Icon name="chevron-down" />
        {t('Show as table')}
      </button>
      {isOpen && <OpenTable title={title} table={table} />}
    </>
  );
}

/** From this number of columns on, a table does not fit a narrow page, and scrolls in a box of its own. */
const WIDE_COLUMNS = 4;

function OpenTable({ title, table }: Pick<TableBehindProps, 'title' | 'table'>): JSX.Element {
  const content = (
    <table class="table">
      <caption class="visually-hidden">{title}</caption>
      <thead>
        <tr>
          {table.columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map(({ key, label, detail, cells }) => (
          <tr key={key}>
            <th scope="row" title={detail ?? label}>
              <span class="name">{label}</span>
            </th>
            {cells.map((cell, at) => (
              <td key={at}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
  if (table.columns.length < WIDE_COLUMNS) return content;
  // A region, so that the keys can scroll it.
  return (
    <div class="table-box" role="region" aria-label={title} tabIndex={0}>
      {content}
    </div>
  );
}

/** A table of tokens and costs. `column`: heading of the labels. */
export function spendingTable(
  column: string,
  rows: readonly (Omit<ChartTable['rows'][number], 'cells'> & { readonly spending: Spending })[],
  t: Translate,
): ChartTable {
  return {
    columns: [column, t('Tokens'), t('Cost')],
    rows: rows.map(({ key, label, detail, spending }) => ({
      key,
      label,
      detail,
      cells: [<Tokens count={totalTokens(spending.counts)} />, <Cost cost={spending.cost} />],
    })),
  };
}
