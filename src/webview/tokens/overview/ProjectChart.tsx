import type { JSX } from 'preact';
import type { TokensMeasure, TokensRange } from '../../../shared/api/tokens';
import type { Bar } from '../chart/bar';
import { RowChart } from '../chart/RowChart';
import { useApp } from '../tokensApp';

export function ProjectChart({ range, measure }: { range: TokensRange; measure: TokensMeasure }): JSX.Element {
  const { figures, t } = useApp();
  const bars: Bar[] = range.projects.map(({ folder, cwd, label, ...spending }) => ({
    key: folder,
    label: label.trim() === '' ? folder : label,
    detail: cwd ?? folder,
    series: 0,
    spending,
  }));
  const { otherProjects } = range;
  if (otherProjects !== null) {
    const label = t('{0} more projects', figures.exact(otherProjects.count));
    bars.push({ key: ' others', label, series: 'others', spending: otherProjects });
  }
  return <RowChart chart="project" title={t('By project')} column={t('Project')} bars={bars} measure={measure} />;
}
