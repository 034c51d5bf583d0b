import { permissions, permissionsOf } from '#services/modules/subjects.ts'
import { toDecimal } from '#services/money/money.ts'
import { isoTime } from '#services/modules/event-description.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { RECENT_USERS, SHOWN_DAYS } from '#services/modules/statistics/statistics-api.ts'
import { userRoutes } from '#services/modules/users/user-api.ts'
import { certificateRoutes } from '#services/modules/certificates/certificate-api.ts'
import { payoutRoutes } from '#services/modules/payouts/payout-api.ts'
import { signInRoutes } from '#services/modules/sign-in/sign-in-api.ts'
import { statisticsRoutes } from '#services/modules/statistics/statistics-api.ts'
import { staffRoutes } from '#services/modules/staff/staff-api.ts'
import type { StaffMember } from '#services/modules/staff/staff-api.ts'
import { type AdminKeyDocument, adminKeys } from '#services/modules/staff/member-read-model.ts'
import { certificates } from '#services/modules/certificates/certificate-read-model.ts'
import { emptyDay, firmDays, utcDay } from '#services/modules/statistics/firm-day-read-model.ts'
import { emptyFirm, FIRM, type FirmDocument, firm } from '#services/modules/statistics/firm-read-model.ts'
import { payouts } from '#services/modules/payouts/payout-read-model.ts'
import { users } from '#services/modules/users/user-read-model.ts'
import { certificateResponse, listedUserResponse, userDetailsResponse } from './query-responses.ts'
import { totalOf } from './list-total.ts'
import { setPaginationHeaders } from './pagination.ts'
import type { QueryDependencies, RegisterQuery } from './query-dependencies.ts'
import { payoutQueries } from '#services/modules/payouts/server/payout-list.ts'
import { countUsers, findUsers } from '#services/modules/users/server/user-list.ts'

/** More than any trader has. */
const ALL_CERTIFICATES = 10_000

const DAY_MS = 86_400_000

/** Members of staff that are listed, revoked ones included. */
const MOST_MEMBERS = 1_000

/** What each role may do, as the staff page shows it. */
const permissionRows = Object.entries(permissions).map(([name, { label, roles }]) => ({ name, label, roles }))

/** The reads of staff (specification §7). */
export function registerStaffQueries(read: RegisterQuery, parts: QueryDependencies): void {
  const { readModels, personKeys, accessControl, sessions, now } = parts
  const list = payoutQueries(parts)
  const figures = async () => (await readModels.get(firm, FIRM)) ?? emptyFirm

  read(signInRoutes.adminAuth, [], async ({ request }) => {
    const admin = await accessControl.adminOf(request)
    if (!admin) return { body: { isAdmin: false } }
    const { id, role, label } = admin
    return { body: { isAdmin: true, id, role, label, permissions: permissionsOf(role) } }
  })

  read(staffRoutes.staff, [adminKeys], async () => {
    const { documents } = await readModels.find(adminKeys, { limit: MOST_MEMBERS })
    return { body: { members: await Promise.all(documents.map(memberResponse)), permissions: permissionRows } }
  })

  /** The last use is that of an open session, which the session store has, or the last sign-in, which the log has. */
  const memberResponse = async ({ id, label, role, issuedAt, keyIssuedAt, expiresAt, revokedAt, lastSignInAt }: AdminKeyDocument): Promise<StaffMember> => {
    const [session] = await sessions.list('admin', id)
    const lastUsedAt = Math.max(session?.lastSeenAt ?? 0, lastSignInAt ?? 0)
    return {
      id,
      name: label,
      role,
      since: isoTime(issuedAt),
      keyIssuedAt: isoTime(keyIssuedAt),
      expiresAt: expiresAt === null ? null : isoTime(expiresAt),
      revokedAt: revokedAt === null ? null : isoTime(revokedAt),
      lastUsedAt: lastUsedAt === 0 ? null : isoTime(lastUsedAt),
    }
  }

  read(statisticsRoutes.stats, [firm, users], async () => {
    const { users: counts, payouts: sums } = await figures()
    const { documents } = await readModels.find(users, { limit: RECENT_USERS })
    return { body: { users: counts, payouts: payoutTotalsResponse(sums), recentUsers: documents.map(listedUserResponse) } }
  })

  read(statisticsRoutes.statsDays, [firmDays], async () => {
    const today = now()
    const days = Array.from({ length: SHOWN_DAYS }, (_, ago) => utcDay(today - ago * DAY_MS)).reverse()
    const known = await readModels.getMany(firmDays, days)
    return {
      body: days.map((day) => {
        const { newAccounts, approvedPayouts, approvedAmount } = known.get(day) ?? emptyDay
        return { day, newAccounts, approvedPayouts, approvedAmount: toDecimal(approvedAmount) }
      }),
    }
  })

  read(userRoutes.users, [firm, users], async ({ query, request, response }) => {
    const page = await findUsers(readModels, query)
    setPaginationHeaders(request, response, page, await totalOf(page, query, async () => countUsers(readModels, query, await figures())))
    return { body: page.documents.map(listedUserResponse) }
  })

  read(userRoutes.user, [users], async ({ params: { id } }) => {
    const user = await readModels.get(users, id)
    if (!user) throw new HttpError(404, { message: 'User not found' })
    return { body: userDetailsResponse(user, (await personKeys.get([id])).get(id)) }
  })

  read(certificateRoutes.userCertificates, [certificates, users], async ({ params: { id } }) => {
    if (!(await readModels.get(users, id))) throw new HttpError(404, { message: 'User not found' })
    const { documents } = await readModels.find(certificates, { where: { userId: id }, limit: ALL_CERTIFICATES })
    const key = (await personKeys.get([id])).get(id)
    // Whether and how a trader shares is in the history; the link itself is the trader's.
    return { body: documents.map((certificate) => ({ ...certificateResponse(certificate, key), share: null })) }
  })

  read(payoutRoutes.payouts, [adminKeys, firm, payouts, users], async ({ query, request, response }) => {
    const selected = await list.select(query)
    const page = await selected.findPage(query)
    setPaginationHeaders(request, response, page, await totalOf(page, query, async () => selected.count(query, await figures())))
    return { body: await list.withPersons(page.documents) }
  })
}

function payoutTotalsResponse(totals: FirmDocument['payouts']) {
  const { pendingAmount, approvedAmount, rejectedAmount } = totals
  return { ...totals, pendingAmount: toDecimal(pendingAmount), approvedAmount: toDecimal(approvedAmount), rejectedAmount: toDecimal(rejectedAmount) }
}
