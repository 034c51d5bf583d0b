import type { DamagedFile } from '#services/trading/certificates/certificate-api.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type {
  FailedMail,
  RetryingMail,
  SetAsideEvent,
  System,
  SystemReader,
} from '#services/operations/installation/installation-api.ts'
import type { ProofProblem } from '#services/framework/api/proof-schemas.ts'
import { counted, eventNumber, formatCount } from '@/format/counts.ts'
import { formatDate } from '@/format/dates.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card, DescriptionList, StatCard } from '@/ui/card.tsx'
import { type Column, DataTable } from '@/ui/data-table.tsx'
import { Fold } from '@/ui/fold.tsx'
import { Meter } from '@/ui/meter.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { EmptyState, ErrorState, Loading, LoadingLines, Skeleton } from '@/ui/states.tsx'
import { DateText } from '@/ui/text.tsx'
import { ReplyTemplatesCard } from '@/features/payments/reply-templates/reply-templates-card.tsx'
import { FirmCard } from '@/features/identity/firm/firm-card.tsx'
import { CoinCodesCard } from '@/features/payments/batches/coin-codes-card.tsx'
import { FirmAccountCard } from '@/features/payments/batches/firm-account-card.tsx'
import { RoleNotice, useMay } from '@/features/frame/access.tsx'
import { TestMailButton } from '@/features/operations/setup/test-mail.tsx'
import { retryDeadLetter, systemQuery } from './system-queries.ts'
import {
  componentName,
  formatAge,
  formatBytes,
  formatDeadLetter,
  formatComponents,
  formatErrors,
  formatProgress,
  formatReaders,
  formatReaderState,
  installationSummary,
  mailSummary,
  sealsSummary,
  formatTimeLeft,
  formatUnsealed,
  SEALS_BESIDE,
  problemLabels,
} from './system-words.ts'

/** The state of the portal, for operators who look into slow or missing updates. */
export function SystemPage() {
  const { data: system, isError, error, refetch } = useQuery(systemQuery)
  return (
    <>
      <PageHeader title="System">
        The state of the portal: read models and rebuilds, unprocessed events, mail and seals.
      </PageHeader>
      <RoleNotice />
      {isError && !system ? (
        <Card>
          <ErrorState title="The system's state could not be loaded" error={error} onRetry={refetch} />
        </Card>
      ) : (
        <SystemSections system={system} />
      )}
    </>
  )
}

/** The page's content; undefined while loading. What is well is one line each. */
function SystemSections({ system }: { readonly system: System | undefined }) {
  return (
    <div className="flex flex-col gap-3">
      <Figures system={system} />
      {system ? <Parts system={system} /> : <PartSkeletons />}
    </div>
  )
}

function Parts({ system }: { readonly system: System }) {
  const { proof, readers, setAside, damagedFiles, parts, mail, seals } = system
  return (
    <>
      {proof.problems.length > 0 && (
        <Section
          title="Problems with the proof"
          about="What was recorded, or what proves it, is not as it should be. Do what is written here before anything else."
        >
          <Problems problems={proof.problems} />
        </Section>
      )}
      {damagedFiles.length > 0 && (
        <Section
          title="Damaged certificate files"
          about="They are not what was issued, or gone, and are not served. “proofdesk audit verify” checks all."
        >
          <DataTable
            label="Damaged certificate files"
            columns={fileColumns}
            rows={damagedFiles}
            rowId={({ certificateId }) => certificateId}
            empty={null}
          />
        </Section>
      )}
      {/* What an owner sets up. */}
      <FirmCard />
      <FirmAccountCard />
      <CoinCodesCard />
      <ReplyTemplatesCard />
      <Fold
        title="Mail"
        summary={mailSummary(mail)}
        needsAttention={mail.folder !== null || mail.failed > 0 || mail.retrying.length > 0}
      >
        <Mail mail={mail} />
      </Fold>
      <Fold title="Installation" summary={installationSummary(system)} needsAttention={isInstallationInNeed(system)}>
        <Installation system={system} />
      </Fold>
      {/* What an operator looks into. */}
      <Fold title="Components" summary={formatComponents(parts)} needsAttention={parts.some(({ ready }) => !ready)}>
        <Components parts={parts} mailFolder={mail.folder} />
      </Fold>
      <Fold
        title="Seals"
        summary={sealsSummary(seals, Date.parse(system.at))}
        needsAttention={seals.kept === 'in the data folder'}
      >
        <Seals seals={seals} at={Date.parse(system.at)} />
      </Fold>
      <Fold
        title="Read models and policies"
        summary={formatReaders(readers)}
        // One that is a moment behind is well.
        needsAttention={readers.some(
          ({ catchingUp, rebuild }) => catchingUp || (rebuild && rebuild.state !== 'finishing'),
        )}
      >
        <DataTable
          label="Read models and policies"
          columns={readerColumns}
          rows={readers}
          rowId={({ name }) => name}
          empty={<EmptyState title="No read models" />}
        />
      </Fold>
      <Fold
        title="Unprocessed events"
        summary={
          setAside.length === 0 ? 'None' : `${counted(setAside.length, 'event')} set aside until a retry succeeds`
        }
        needsAttention={setAside.length > 0}
      >
        <p className="mb-3 text-13 text-muted">
          Events that a read model or a mail could not process. Each blocks only its own stream, until a retry succeeds.
        </p>
        <DeadLetters events={setAside} />
      </Fold>
      {mail.retrying.length > 0 && (
        <Section title="Waiting mails" about="They are tried again for four and a half days.">
          <DataTable
            label="Waiting mails"
            columns={retryColumns}
            rows={mail.retrying}
            rowId={({ id }) => id}
            empty={null}
          />
        </Section>
      )}
      {mail.failures.length > 0 && (
        <Section title="Failed mails">
          <DataTable
            label="Failed mails"
            columns={mailColumns}
            rows={mail.failures}
            rowId={({ id }) => id}
            empty={null}
          />
        </Section>
      )}
    </>
  )
}

/** One block, so that nothing moves when the parts come: which of them are open is not known before. */
function PartSkeletons() {
  return (
    <Loading label="Loading the state of the parts">
      <div className="rounded-lg border border-line bg-card p-5">
        <LoadingLines lines={14} />
      </div>
    </Loading>
  )
}

function isInstallationInNeed({ installation: { disk, lastBackup }, serverErrors }: System): boolean {
  return !lastBackup || serverErrors.count > 0 || (disk !== null && disk.free < disk.total * LEAST_FREE)
}

interface SectionProps {
  readonly title: string
  readonly about?: string
  readonly children: ReactNode
}

function Section({ title, about, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <h2 className="text-16 font-semibold">{title}</h2>
      {about !== undefined && <p className="text-13 text-muted">{about}</p>}
      <div className="mt-3">{children}</div>
    </section>
  )
}

function Figures({ system }: { readonly system: System | undefined }) {
  const { seals, parts = [], setAside = [] } = system ?? {}
  const away = parts.filter(({ ready }) => !ready)
  // Without what nothing waits for, the portal works on.
  const state = away.length === 0 ? 'Ready' : away.some(({ needed }) => needed) ? 'Not ready' : 'Degraded'
  const figures = [
    {
      label: 'Newest event',
      value: system && eventNumber(system.newest),
      context: system && `as of ${formatDate(system.at, 'exact').split(', ')[1]}`,
    },
    { label: 'Components', value: state, context: formatComponents(parts), isBad: away.length > 0 },
    {
      label: 'Unprocessed events',
      value: formatCount(setAside.length),
      context: 'set aside until a retry succeeds',
      isBad: setAside.length > 0,
    },
    {
      label: 'Newest seal',
      value: seals?.newest ? `No. ${formatCount(seals.newest.number)}` : 'None yet',
      context: formatUnsealed(seals?.unsealed ?? 0),
    },
  ]
  return (
    <div
      className="mb-3 grid grid-cols-2 gap-2 md:gap-3 lg:grid-cols-4"
      role="group"
      aria-label="The system in figures"
    >
      {figures.map(({ label, value, context, isBad }) => (
        <StatCard
          key={label}
          dense
          label={label}
          value={system ? value : <Skeleton className="my-1 h-4 w-16" />}
          context={system ? context : undefined}
          tone={isBad ? 'bad' : undefined}
        />
      ))}
    </div>
  )
}

// Outside the components, so that they are the same array in every render.
const readerColumns: readonly Column<SystemReader>[] = [
  { header: 'Name', cell: ({ name }) => <span className="font-medium">{name}</span> },
  {
    header: 'Position',
    align: 'right',
    cell: ({ position }) => <span className="font-mono text-12">{eventNumber(position)}</span>,
  },
  { header: 'State', className: 'md:w-1/2', cell: (reader) => <ReaderState reader={reader} /> },
]

function ReaderState({ reader }: { readonly reader: SystemReader }) {
  const { name, caughtUp, catchingUp, rebuild } = reader
  const words = formatReaderState(reader)
  const way = rebuild?.state === 'building' ? rebuild : catchingUp
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1 max-md:justify-end">
      <Badge tone={rebuild ? 'review' : caughtUp ? 'good' : 'waiting'}>{words}</Badge>
      {way && (
        <Meter
          role="progressbar"
          className="w-48 max-md:text-left"
          label={`${words}: ${name}`}
          percent={way.fraction * 100}
          text={formatProgress(way)}
        />
      )}
    </div>
  )
}

function Problems({ problems }: { readonly problems: readonly ProofProblem[] }) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-card">
      {problems.map(({ kind, says, todo, since }) => (
        <li key={`${kind} ${says}`} className="px-5 py-4">
          <p className="flex flex-wrap items-baseline gap-x-3">
            <Badge tone="bad">{problemLabels[kind]}</Badge>
            {since !== null && (
              <span className="text-13 text-muted">
                since <DateText at={since} how="exact" />
              </span>
            )}
          </p>
          <p className="mt-2 break-words text-bad">{says}</p>
          <p className="mt-1 text-13 break-words">{todo}</p>
        </li>
      ))}
    </ul>
  )
}

/** With a button to retry each, for those who may. */
function DeadLetters({ events }: { readonly events: readonly SetAsideEvent[] }) {
  const retry = useMutation(retryDeadLetter)
  const mayRetry = useMay('operate')
  if (events.length === 0) return <EmptyState title="No unprocessed events">All events have been processed.</EmptyState>
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-card">
      {events.map((event) => (
        <li key={event.id} className="flex flex-wrap items-center gap-x-6 gap-y-3 px-5 py-4">
          <div className="min-w-0 flex-1 basis-80">
            <p className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-medium">{event.type}</span>
              <span className="text-13 text-muted">not processed by {event.reader}</span>
            </p>
            <p className="mt-1 text-13 break-words text-bad">{formatDeadLetter(event)}</p>
            <p className="mt-1 font-mono text-12 break-all text-muted">
              #{event.number} · {event.stream}#{event.revision}
            </p>
          </div>
          {event.retrying ? (
            <Badge tone="review">Retrying</Badge>
          ) : (
            mayRetry && (
              <Button
                look="secondary"
                busy={retry.isPending && retry.variables === event.id}
                onClick={() => retry.mutate(event.id)}
                aria-label={`Try again: ${event.type} #${event.number} for ${event.reader}`}
              >
                Try again
              </Button>
            )
          )}
        </li>
      ))}
    </ul>
  )
}

function Installation({ system: { installation, serverErrors, proof, at: moment } }: { readonly system: System }) {
  const { version, startedAt, disk, lastBackup, lastVerification } = installation
  const at = Date.parse(moment)
  return (
    <DescriptionList
      items={[
        { name: 'Version', value: version },
        { name: 'Running for', value: formatAge(at - Date.parse(startedAt)) },
        { name: 'Free disk space', value: disk ? <FreeSpace disk={disk} /> : 'Unknown' },
        { name: 'Server errors today', value: <ServerErrors errors={serverErrors} /> },
        { name: 'Last backup', value: <Operation operation={lastBackup} at={at} /> },
        {
          name: 'Last verification',
          value: (
            <>
              <Operation operation={lastVerification} at={at} />
              {proof.verifying && (
                <span className="block text-13 text-muted">
                  The next one is under way: {formatProgress({ ...proof.verifying, secondsLeft: null })}
                </span>
              )}
            </>
          ),
        },
      ]}
    />
  )
}

function ServerErrors({ errors }: { readonly errors: System['serverErrors'] }) {
  return (
    <>
      <span className={errors.count > 0 ? 'font-medium text-bad' : undefined}>{formatErrors(errors)}</span>
      <span className="block text-13 text-muted">
        Failed API calls of the process that shows this page, since midnight or its start
      </span>
    </>
  )
}

function FreeSpace({ disk: { free, total } }: { readonly disk: NonNullable<System['installation']['disk']> }) {
  const text = `${formatBytes(free)} of ${formatBytes(total)}`
  return <span className={free < total * LEAST_FREE ? 'font-medium text-bad' : undefined}>{text}</span>
}

/** A smaller share of free disk space is shown as bad. */
const LEAST_FREE = 0.1

function Operation({
  operation,
  at,
}: {
  readonly operation: System['installation']['lastBackup']
  readonly at: number
}) {
  if (!operation) return <>None known</>
  return (
    <>
      {formatAge(at - Date.parse(operation.at))} ago, up to {eventNumber(operation.upTo)}
      <span className="block text-13 text-muted">
        <DateText at={operation.at} how="exact" />
      </span>
    </>
  )
}

function Components({ parts, mailFolder }: { readonly parts: System['parts']; readonly mailFolder: string | null }) {
  const word = (name: string) => (name === 'mail transport' && mailFolder !== null ? 'Only files' : 'Available')
  return (
    <ul className="flex flex-col gap-2">
      {parts.map(({ name, ready }) => (
        <li key={name} className="flex items-center justify-between gap-3">
          <span className="first-letter:uppercase">{componentName(name)}</span>
          <Badge tone={!ready ? 'bad' : word(name) === 'Available' ? 'good' : 'waiting'}>
            {ready ? word(name) : 'Unavailable'}
          </Badge>
        </li>
      ))}
    </ul>
  )
}

function Mail({ mail: { folder, waiting, sent, failed } }: { readonly mail: System['mail'] }) {
  return (
    <>
      {folder !== null && (
        <p className="mb-3 text-13 break-words text-bad">
          There is no mail server: nobody gets a mail. Each goes into a file in {folder}. Set SMTP_URL.
        </p>
      )}
      <DescriptionList
        items={[
          { name: 'Waiting', value: formatCount(waiting) },
          { name: folder === null ? 'Sent' : 'Written into files', value: formatCount(sent) },
          {
            name: 'Failed',
            value: <span className={failed > 0 ? 'font-medium text-bad' : undefined}>{formatCount(failed)}</span>,
          },
        ]}
      />
      <TestMailButton />
    </>
  )
}

function Seals({
  seals: { newest, unsealed, everySeconds, kept },
  at,
}: {
  readonly seals: System['seals']
  readonly at: number
}) {
  const sealed = newest
    ? [
        { name: 'Newest', value: `No. ${formatCount(newest.number)}` },
        { name: 'Age', value: formatAge(at - Date.parse(newest.sealedAt)) },
        { name: 'Sealed at', value: <DateText at={newest.sealedAt} how="exact" /> },
        { name: 'Up to event', value: <span className="font-mono text-12">{eventNumber(newest.upTo)}</span> },
        { name: 'Key', value: mono(newest.keyId) },
      ]
    : [{ name: 'Newest', value: 'None yet' }]
  return (
    <DescriptionList
      items={[
        ...sealed,
        { name: 'Unsealed', value: formatUnsealed(unsealed) },
        { name: 'Sealed every', value: formatTimeLeft(everySeconds) },
        ...(kept === 'in the data folder' ? [{ name: 'Kept', value: SEALS_BESIDE }] : []),
      ]}
    />
  )
}

const mono = (text: string) => <span className="font-mono text-12 break-all">{text}</span>

const fileColumns: readonly Column<DamagedFile>[] = [
  { header: 'Certificate', cell: ({ certificateId }) => mono(certificateId) },
  { header: 'File', cell: ({ damage }) => <Badge tone="bad">{damage === 'missing' ? 'Missing' : 'Altered'}</Badge> },
  { header: 'In the file store', cell: ({ file }) => mono(file) },
  { header: 'Last asked for', cell: ({ at }) => <DateText at={at} how="exact" /> },
]

const mailColumns: readonly Column<FailedMail>[] = [
  { header: 'Mail about', cell: ({ kind }) => <span className="font-medium">{kind}</span> },
  { header: 'Of', cell: ({ stream }) => mono(stream) },
  { header: 'Attempts', align: 'right', cell: ({ attempts }) => attempts },
  { header: 'Error', cell: ({ error }) => <span className="text-bad break-words">{error}</span> },
]

const retryColumns: readonly Column<RetryingMail>[] = [
  ...mailColumns,
  { header: 'Next try', cell: ({ nextTry }) => <DateText at={nextTry} how="exact" /> },
]
