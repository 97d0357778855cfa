// What the doctor found, problems first, and what to do about each.
import { Badge } from '../../components/badge';
import { Button } from '../../components/button';
import { LiteralText } from '../../components/literal-text';
import { Notice } from '../../components/notice';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { plural } from '../../format/numbers';
import { useResource } from '../../use-resource';
import { examine, type Finding, type Report } from './records';

const ranks: Record<Finding['state'], number> = { problem: 0, warning: 1, ok: 2 };
const kinds = { problem: 'bad', warning: 'warn', ok: 'good' } as const;
const words: Record<Finding['state'], string> = { problem: 'Problem', warning: 'Warning', ok: 'OK' };

export function Checks() {
  const report = useResource('', examine);
  return (
    <Section
      title="Checks"
      intro={
        <>
          The same as <code>auris doctor</code>. Nothing is changed, except that a test file is written and deleted.
        </>
      }
      actions={
        <Button icon="refresh" busy={report.loading.value} onClick={() => void report.reload()}>
          Check again
        </Button>
      }
    >
      <ResourceView resource={report}>
        {(data) => (
          <div class="stack">
            <Notice kind={data.ok ? 'good' : 'bad'}>{summaryOf(data)}</Notice>
            <ul class="records" aria-label="Findings">
              {[...data.findings]
                .sort((one, other) => ranks[one.state] - ranks[other.state])
                .map((finding, index) => (
                  <FindingLine key={`${finding.check} ${index}`} finding={finding} />
                ))}
            </ul>
          </div>
        )}
      </ResourceView>
    </Section>
  );
}

function FindingLine({ finding }: { finding: Finding }) {
  return (
    <li class="finding">
      <Badge kind={kinds[finding.state]}>{words[finding.state]}</Badge>
      <div>
        <h3>{finding.check === 'ffmpeg' ? 'FFmpeg' : finding.check}</h3>
        <p class="wrap">
          <LiteralText text={finding.found} />
        </p>
        {finding.advice && (
          <p class="wrap">
            <strong>What to do:</strong> <LiteralText text={finding.advice} />
          </p>
        )}
      </div>
    </li>
  );
}

function summaryOf(report: Report): string {
  const count = (state: Finding['state']) => report.findings.filter((finding) => finding.state === state).length;
  const warnings = count('warning');
  if (!report.ok) return `${plural(count('problem'), 'problem')} found. The service cannot do all of its work.`;
  if (warnings > 0) return `The service works. ${plural(warnings, 'warning')}: it may have trouble later.`;
  return 'Everything that the service depends on is in order.';
}
