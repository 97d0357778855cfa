// All files of the job and of the analyses of its recording, to download.
import type { Artifact } from '../../api/types';
import { artifactContentPath, listArtifacts } from '../../api/jobs';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icon';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { artifactName, stepName } from '../../format/names';
import { formatBytes } from '../../format/numbers';
import { formatDateTime, unbroken } from '../../format/time';
import { useResource } from '../../use-resource';
import type { JobStore } from './job-store';

export function FilesTab({ store }: { store: JobStore }) {
  // The recording is there before the result, so the list is asked for while the job runs, and again when it has ended.
  const jobs = [store, ...store.analysisStores.value];
  const key = jobs.map((job) => `${job.jobId} ${job.isLive.value} ${fileCount(job)}`).join();
  const loaded = useResource(key, (signal) => Promise.all(jobs.map((job) => filesOf(job, signal))));
  return (
    <ResourceView resource={loaded}>
      {(lists) => {
        const shown = lists.filter(({ files }) => files.some((file) => file.status === 'available'));
        if (shown.length === 0) return <NoFiles />;
        return (
          <>
            {shown.map(({ job, files }) => {
              const table = <FileTable job={job} files={files} />;
              return shown.length === 1 ? table : <Section title={titleOf(job)}>{table}</Section>;
            })}
          </>
        );
      }}
    </ResourceView>
  );
}

async function filesOf(job: JobStore, signal: AbortSignal): Promise<{ job: JobStore; files: Artifact[] }> {
  return { job, files: (await listArtifacts(job.project, job.jobId, signal)).data };
}

const fileCount = (job: JobStore): number => job.ownResult.value?.artifacts?.length ?? 0;

function NoFiles() {
  return (
    <EmptyState icon="file" title="No files">
      The results appear when the job is completed, and are removed with its content.
    </EmptyState>
  );
}

function titleOf({ job }: JobStore): string {
  return job.value ? `${stepName(job.value.operation)} from ${unbroken(formatDateTime(job.value.created_at))}` : '';
}

function FileTable({ job, files }: { job: JobStore; files: Artifact[] }) {
  return (
    <Table
      caption={`Files of the ${stepName(job.job.value?.operation ?? 'job').toLowerCase()} ${job.jobId}`}
      rows={files}
      rowKey={(file) => file.id}
      columns={[
        { id: 'name', title: 'File', cell: (file) => artifactName(file.purpose) },
        { id: 'type', title: 'Type', cell: (file) => <code>{file.media_type}</code> },
        { id: 'size', title: 'Size', number: true, cell: (file) => formatBytes(Number(file.bytes)) },
        {
          id: 'download',
          title: <span class="off-screen">Download</span>,
          number: true,
          cell: (file) => <DownloadLink project={job.project} file={file} />,
        },
      ]}
    />
  );
}

function DownloadLink({ project, file }: { project: string; file: Artifact }) {
  if (file.status !== 'available') return <span class="soft">{file.status}</span>;
  return (
    <a
      class="button small"
      href={artifactContentPath(project, file.id)}
      download
      aria-label={`Download ${artifactName(file.purpose)}`}
    >
      <Icon name="download" />
      <span>Download</span>
    </a>
  );
}
