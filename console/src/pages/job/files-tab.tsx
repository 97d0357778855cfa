// All files of the job and of the analyses of its recording, to download. One answer has all of them.
import type { JobArtifact } from '../../api/types';
import { artifactContentPath, listArtifacts } from '../../api/jobs';
import { EmptyState } from '../../components/empty-state';
import { Icon } from '../../components/icon';
import { Loading } from '../../components/loading';
import { ResourceView } from '../../components/resource-view';
import { Section } from '../../components/section';
import { Table } from '../../components/table';
import { artifactName, resultName, stepName } from '../../format/names';
import { formatBytes } from '../../format/numbers';
import { formatDateTime, unbroken } from '../../format/time';
import { useResource } from '../../use-resource';
import type { JobStore } from './job-store';

interface JobFiles {
  job: JobStore;
  files: JobArtifact[];
}

// With the analyses, the page knows which files to ask for, so it does not ask twice.
export function FilesTab({ store }: { store: JobStore }) {
  return store.knowsAnalyses.value ? <FilesByJob store={store} /> : <Loading />;
}

function FilesByJob({ store }: { store: JobStore }) {
  const jobs = [store, ...store.analysisStores.value];
  // The recording is there before the result, so the list is asked for while a job runs, and again when it has ended.
  const key = jobs.map((job) => `${job.jobId} ${job.timesRead.value}`).join();
  const loaded = useResource(key, (signal) => listArtifacts(store.project, store.jobId, signal));
  return (
    <ResourceView resource={loaded}>
      {({ data }) => {
        const shown = jobs.map((job) => filesOf(job, data)).filter(hasContent);
        if (shown.length === 0) return <NoFiles />;
        return (
          <>
            {shown.map(({ job, files }) => {
              const table = <FileTable key={job.jobId} job={job} files={files} />;
              if (shown.length === 1) return table;
              return (
                <Section key={job.jobId} title={titleOf(job)} intro={partsOf(job)}>
                  {table}
                </Section>
              );
            })}
          </>
        );
      }}
    </ResourceView>
  );
}

const filesOf = (job: JobStore, all: JobArtifact[]): JobFiles => ({
  job,
  files: all.filter((file) => file.job_id === job.jobId),
});

const hasContent = ({ files }: JobFiles): boolean => files.some((file) => file.status === 'available');

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

// What an analysis found out, which tells it apart from others of the same minute.
function partsOf({ job, ownResult }: JobStore): string | null {
  if (job.value?.operation !== 'analysis') return null;
  return Object.keys(ownResult.value ?? {}).flatMap((key) => resultName(key) ?? []).join(', ');
}

function FileTable({ job, files }: JobFiles) {
  return (
    <Table
      caption={`Files of the ${stepName(job.job.value?.operation ?? 'job').toLowerCase()} ${job.jobId}`}
      kind="files-table"
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

function DownloadLink({ project, file }: { project: string; file: JobArtifact }) {
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
