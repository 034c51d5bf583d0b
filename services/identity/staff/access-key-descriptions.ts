import { change, changesBetween, type EventDescriptions, isoTime } from '#services/framework/event-description.ts'
import type { Subject } from '#services/framework/subject.ts'
import { adminRoleLabels } from './staff-vocabulary.ts'
import type { AdminKeyEvent, MemberAccess } from './access-key.ts'
import type { AdministratorsEvent } from './administrators.ts'

export const accessKeyDescriptions = {
  AdminKeyIssued: {
    title: 'Access key issued',
    category: 'accessKeys',
    changes: ({ data }) => [
      change('accessKey.label', null, data.label),
      change('accessKey.role', null, data.role),
      ...(data.expiresAt === null ? [] : [change('accessKey.expiresAt', null, isoTime(data.expiresAt))]),
    ],
  },
  AdminKeyRevoked: {
    title: 'Access key revoked',
    category: 'accessKeys',
    changes: () => [change('accessKey.revoked', false, true)],
  },
  AdminKeyChanged: {
    title: 'Member of staff changed',
    category: 'accessKeys',
    changes: ({ data: { from, to } }) => changesBetween('accessKey', shown(from), shown(to)),
  },
  AdminKeyReplaced: { title: 'Access key replaced', category: 'accessKeys' },
  AdminKeyAssigned: { title: 'Access key assigned to a member of staff', category: 'accessKeys' },
  AdminSignedIn: { title: 'Administrator signed in', category: 'signIns' },
  AdminSignInRefused: {
    title: 'Sign-in with an access key refused',
    category: 'signIns',
    reason: ({ why }) => refusals[why],
  },
  ListDownloaded: {
    title: 'List downloaded',
    category: 'disclosures',
    changes: ({ data: { list, status, searched } }) =>
      changesBetween('download', {}, { list, filter: status, ...(searched && { searched }) }),
  },
} as const satisfies EventDescriptions<AdminKeyEvent>

/** The fields that these events name. */
export const staffShown = {
  accessKey: {
    fields: {
      label: { label: 'Name', kind: 'text' },
      role: { label: 'Role', kind: 'choice', words: adminRoleLabels },
      expiresAt: { label: 'Expires', kind: 'time' },
      revoked: { label: 'Access key', kind: 'choice', words: { true: 'Revoked', false: 'Valid' } },
      member: { label: 'Id of the member', kind: 'text', ofAction: true },
    },
  },
  download: {
    fields: {
      list: { label: 'List', kind: 'text', ofAction: true },
      filter: { label: 'Only those with the status', kind: 'text', ofAction: true },
      searched: { label: 'Search', kind: 'choice', words: { true: 'Something was searched for' }, ofAction: true },
    },
  },
} as const satisfies Subject['shown']

/** The changes of the access themselves are events of the members. */
export const administratorsDescriptions = {
  AdministratorJoined: {
    title: 'Administrator whose key does not expire added',
    category: 'accessKeys',

    changes: ({ data }) => [change('accessKey.member', null, data.member)],
  },
  AdministratorLeft: {
    title: 'Administrator whose key does not expire removed',
    category: 'accessKeys',

    changes: ({ data }) => [change('accessKey.member', null, data.member)],
  },
} as const satisfies EventDescriptions<AdministratorsEvent>

const refusals = {
  unknown: 'No access key matches',
  revoked: 'The access key is revoked',
  expired: 'The access key has expired',
} as const

function shown({ label, role, expiresAt }: MemberAccess) {
  return { label, role, expiresAt: expiresAt === null ? null : isoTime(expiresAt) }
}
