import type { JSX } from 'preact';
import type { TokensChart } from '../../../protocol/channels/tokensView';
import { type Spending, totalTokens } from '../../../protocol/usage';
import { Icon } from '../../ui/Icon';
import { Cost, Tokens } from '../figures';
import { useApp } from '../tokensApp';

export interface TableBehindProps {
  readonly chart: TokensChart;
  /** Title of the chart. */
  readonly title: string;
  /** Heading of the first column. */
  readonly column: string;
  readonly rows: readonly {
    readonly key: string;
    readonly label: string;
    readonly detail?: string | undefined;
    readonly spending: Spending;
  }[];
}

/** The data of a chart as a readable table. */
export function TableBehind({ chart, title, column, rows }: TableBehindProps): JSX.Element {
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
      {isOpen && (
        <table class="table">
          <caption class="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{column}</th>
              <th scope="col">{t('Tokens')}</th>
              <th scope="col">{t('Cost')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, label, detail, spending }) => (
              <tr key={key}>
                <th scope="row" title={detail ?? label}>
                  <span class="name">{label}</span>
                </th>
                <td>
                  <Tokens count={totalTokens(spending.counts)} />
                </td>
                <td>
                  <Cost cost={spending.cost} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
