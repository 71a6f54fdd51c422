import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { describeSpending } from './figures/describeSpending';
import { isCounting } from './figures/isCounting';
import { useApp } from './tokensApp';

/** Says what a change of the range brought, and that counting is over. Figures that move by themselves are not said. */
export function LiveText(): JSX.Element {
  const { snapshot, navigation, figures, t } = useApp();
  const { overview } = snapshot.value;
  const { range } = navigation.value;
  const state = overview === null ? 'unknown' : isCounting(overview.files) ? 'counting' : 'counted';
  const text = useMemo(() => {
    if (state === 'unknown') return t('Counting…');
    if (state === 'counting') return t('Transcripts are still being counted.');
    const told = overview?.ranges.find((each) => each.range === range);
    return told === undefined ? '' : describeSpending(told.total, figures, t);
  }, [range, state]);
  return (
    <div class="visually-hidden" role="status" data-live-text>
      {text}
    </div>
  );
}
