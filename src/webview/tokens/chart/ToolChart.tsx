import type { JSX } from 'preact';
import type { TokensTools } from '../../../protocol/channels/tokensView';
import { toolName } from '../../../protocol/tools';
import { estimatedTokens, type ToolFigures, type ToolUsage, type UsageRange } from '../../../protocol/usage';
import type { Figures } from '../../ui/createFigures';
import type { Translate } from '../../ui/texts';
import { Tokens } from '../figures';
import { useApp } from '../tokensApp';
import { type Bar, RowChart } from './RowChart';

export interface ToolChartProps {
  readonly tools: TokensTools;
  readonly range: UsageRange;
}

/** How often Claude called each tool, how many calls failed, and how long the results were. */
export function ToolChart({ tools, range }: ToolChartProps): JSX.Element {
  const { t } = useApp();
  switch (tools.kind) {
    case 'waiting':
      return <NoBars text={t('Counting…')} />;
    case 'failed':
      return <NoBars text={tools.problem} />;
    case 'counted':
      return <CountedTools usage={tools} range={range} />;
  }
}

function NoBars({ text }: { text: string }): JSX.Element {
  const { t } = useApp();
  return (
    <div class="chart">
      <h2>{t('Tools')}</h2>
      <p class="quiet">{text}</p>
    </div>
  );
}

interface Listed extends ToolFigures {
  readonly key: string;
  readonly label: string;
  readonly isOthers: boolean;
}

function CountedTools({ usage, range: chosen }: { usage: ToolUsage; range: UsageRange }): JSX.Element {
  const { figures, t } = useApp();
  const { files } = usage;
  const range = usage.ranges.find((each) => each.range === chosen);
  const listed = (range?.tools ?? []).map(({ name, ...counts }): Listed => {
    return { ...counts, key: name, label: toolName(name).trim() || '?', isOthers: false };
  });
  const others = range?.others ?? null;
  // No tool has this key, because a name is never blank.
  if (others !== null) listed.push({ ...others, key: ' ', label: t('All other tools'), isOthers: true });
  const progress =
    files.waiting > 0
      ? t(
          'Counting… {0} of {1} transcripts',
          figures.exact(Math.max(0, files.total - files.waiting)),
          figures.exact(files.total),
        )
      : null;
  if (listed.length === 0) return <NoBars text={progress ?? t('No tools were used.')} />;
  return (
    <RowChart
      chart="tool"
      title={t('Tools')}
      bars={listed.map((each) => asBar(each, figures, t))}
      table={{
        columns: [t('Tool'), t('Calls'), t('Failed'), t('Results (≈ tokens)')],
        rows: listed.map(({ key, label, calls, failed, resultCharacters }) => ({
          key,
          label,
          cells: [
            <Tokens count={calls} />,
            <Tokens count={failed} />,
            <Tokens count={estimatedTokens(resultCharacters)} />,
          ],
        })),
      }}
    >
      {progress !== null && <p class="quiet">{progress}</p>}
      {files.unreadable > 0 && (
        <p class="quiet">{t('Transcripts that could not be read: {0}', figures.compact(files.unreadable))}</p>
      )}
    </RowChart>
  );
}

function asBar(listed: Listed, figures: Figures, t: Translate): Bar {
  const { key, label, calls, failed, isOthers } = listed;
  const lines = describeTool(listed, figures, t);
  return {
    key,
    label,
    series: isOthers ? 'others' : 0,
    length: calls,
    part: failed,
    figure: (
      <>
        {failed > 0 && <span class="tool-failed">{t('{0} failed', figures.compact(failed))}</span>}
        <Tokens count={calls} />
      </>
    ),
    said: lines.join(', '),
    tip: (
      <>
        <div class="tip-title">{label}</div>
        {lines.map((line) => (
          <div key={line}>{line}</div>
        ))}
        <div class="tip-detail">{t('An estimate: one token for every four characters of text.')}</div>
      </>
    ),
  };
}

function describeTool(
  { calls, failed, resultCharacters }: ToolFigures,
  figures: Figures,
  t: Translate,
): readonly string[] {
  return [
    calls === 1 ? t('1 call') : t('{0} calls', figures.exact(calls)),
    ...(failed > 0 ? [t('{0} failed', figures.exact(failed))] : []),
    t('about {0} tokens of results', figures.exact(estimatedTokens(resultCharacters))),
  ];
}
