import { traderModule } from '#services/trading/traders/server/trader-module.ts'
import { type UserId, userId } from '#services/framework/ids.ts'
import { comparePositions, type Position } from '#infra/event-store/event-store.ts'
import type { DecidedEvent } from '#services/event-sourcing/aggregate-repository.ts'
import type { React } from '#services/framework/parts.ts'
import type { RecordedEvent } from '#services/event-sourcing/codec/event-codec.ts'
import { type Context, systemContext } from '#services/event-sourcing/codec/metadata.ts'
import type { Projection } from '#services/event-sourcing/read-models/projection.ts'
import { accountModule } from '#services/trading/accounts/server/account-module.ts'
import { auditModule } from '#services/oversight/audit/server/audit-module.ts'
import { savedDestinationModule } from '#services/payments/destinations/server/saved-destination-module.ts'
import { replyTemplateModule } from '#services/payments/reply-templates/server/reply-template-module.ts'
import { calendarModule } from '#services/trading/calendar/server/calendar-module.ts'
import { caseModule } from '#services/trading/cases/server/case-module.ts'
import { batchModule } from '#services/payments/batches/server/batch-module.ts'
import { certificateModule } from '#services/trading/certificates/server/certificate-module.ts'
import type { PolicyParts, PortalParts } from './parts.ts'
import { enrolmentModule } from '#services/trading/enrolments/server/enrolment-module.ts'
import { importModule } from '#services/trading/imports/server/import-module.ts'
import { firmModule } from '#services/identity/firm/server/firm-module.ts'
import { findingModule } from '#services/trading/findings/server/finding-module.ts'
import { installationModule } from '#services/operations/installation/server/installation-module.ts'
import type { CompleteModule, Module } from '#services/framework/module.ts'
import { setupModule } from '#services/operations/setup/server/setup-module.ts'
import { noticeModule } from '#services/oversight/notices/server/notice-module.ts'
import { observationModule } from '#services/trading/observations/server/observation-module.ts'
import { payoutModule } from '#services/payments/payouts/server/payout-module.ts'
import { apiKeyModule } from '#services/identity/api-keys/server/api-key-module.ts'
import { programmeModule } from '#services/programmes/programmes/server/programme-module.ts'
import { savedViewModule } from '#services/identity/saved-views/server/saved-view-module.ts'
import { secondFactorModule } from '#services/identity/second-factors/server/second-factor-module.ts'
import { signInModule } from '#services/identity/sign-in/server/sign-in-module.ts'
import { staffModule } from '#services/identity/staff/server/staff-module.ts'
import { statisticsModule } from '#services/oversight/statistics/server/statistics-module.ts'
import type { Subject } from '#services/framework/subject.ts'
import type { AnyEvent, subjects } from '#services/oversight/event-catalogue.ts'
import { userNoteModule } from '#services/identity/user-notes/server/user-note-module.ts'
import { userModule } from '#services/identity/users/server/user-module.ts'

/** The server half of every subject, and what is derived from the list: read models, policies and erasure. */
const modules = {
  'sign-in': signInModule,
  users: userModule,
  traders: traderModule,
  'second-factors': secondFactorModule,
  accounts: accountModule,
  observations: observationModule,
  imports: importModule,
  findings: findingModule,
  cases: caseModule,
  payouts: payoutModule,
  batches: batchModule,
  destinations: savedDestinationModule,
  'reply-templates': replyTemplateModule,
  certificates: certificateModule,
  notices: noticeModule,
  programmes: programmeModule,
  calendar: calendarModule,
  enrolments: enrolmentModule,
  staff: staffModule,
  firm: firmModule,
  'api-keys': apiKeyModule,
  'saved-views': savedViewModule,
  'user-notes': userNoteModule,
  statistics: statisticsModule,
  installation: installationModule,
  setup: setupModule,
  audit: auditModule,
} satisfies { readonly [Name in keyof typeof subjects]: Module<(typeof subjects)[Name], PortalParts, AnyEvent> }

export const allModules: readonly CompleteModule<Subject, PortalParts>[] = Object.values(modules).map((module) => ({
  ...{ commands: () => ({}), queries: () => ({}), readModels: [], mails: {}, policies: {} },
  ...module,
}))

/** All read models: the worker keeps them up to date. */
export const allProjections: readonly Projection[] = allModules.flatMap(({ readModels }) => readModels)

type AnyPolicy = {
  run(event: DecidedEvent, context: Context, parts: AllPolicyParts): Promise<Position | undefined | void>
}['run']
type AllPolicyParts = PolicyParts & Pick<PortalParts['policies'], 'react'>

/** The policies of each type of event. Every subject reacts to the deletion of a user. */
const policies = new Map<string, AnyPolicy[]>([
  ['UserDeleted', [({ personId }, context, parts) => eraseUser(userId.parse(personId), context, parts)]],
])
for (const module of allModules)
  for (const [type, run] of Object.entries<AnyPolicy | undefined>(module.policies))
    if (run) policies.set(type, [...(policies.get(type) ?? []), run])

/** In the worker: does what an event leads to in other streams and stores. */
export async function runPolicies(event: RecordedEvent<AnyEvent>, parts: PolicyParts): Promise<void> {
  const { requestId, correlationId } = event.metadata
  await runAll(event, { ...systemContext('worker', requestId, event.id), correlationId }, parts)
}

/** See {@link React}. */
export const createReact =
  (parts: PolicyParts): React =>
  async ({ events, position }) => {
    let reached = position
    for (const event of events)
      reached = later(await runAll(event, { ...event.metadata, causationId: event.id }, parts), reached)
    return reached
  }

async function runAll(event: DecidedEvent, context: Context, parts: PolicyParts): Promise<Position | undefined> {
  const given = { ...parts, react: createReact(parts) }
  let reached: Position | undefined
  for (const run of policies.get(event.type) ?? [])
    reached = later((await run(event, context, given)) ?? undefined, reached)
  return reached
}

/** Removes what every subject holds of a deleted user. The key is destroyed last: until then a restart loses nothing. */
export async function eraseUser(user: UserId, context: Context, parts: PolicyParts): Promise<Position | undefined> {
  const given = { ...parts, react: createReact(parts) }
  let reached: Position | undefined
  for (const { erase } of allModules) reached = later(await erase?.(user, context, given), reached)
  await parts.personKeys.destroy(user)
  return reached
}

function later<Known extends Position | undefined>(one: Position | undefined, other: Known): Position | Known {
  return one !== undefined && (other === undefined || comparePositions(one, other) > 0) ? one : other
}
