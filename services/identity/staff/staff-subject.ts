import { subject } from '#services/framework/subject.ts'
import { accessKeyDescriptions, administratorsDescriptions, staffShown } from './access-key-descriptions.ts'
import { adminKeyEvents, adminKeyStreams } from './access-key.ts'
import { administrators, administratorsEvents } from './administrators.ts'
import { staffRoutes } from './staff-api.ts'
import { adminRoles } from './staff-vocabulary.ts'

/** Staff: the half that runs anywhere. */
export const staffSubject = subject({
  title: 'Staff',
  about: 'The members of staff, and their access keys',
  events: { ...adminKeyEvents, ...administratorsEvents },
  aggregates: [adminKeyStreams, administrators],
  descriptions: { ...accessKeyDescriptions, ...administratorsDescriptions },
  shown: staffShown,
  categories: {
    signIns: { label: 'Sign-ins of administrators', staffOnly: true, isDecision: false },
    accessKeys: { label: 'Access keys', staffOnly: true, isDecision: true },
  },
  permissions: {
    read: { label: 'See users, accounts, payouts, certificates, figures and the audit', roles: adminRoles },
    export: { label: 'Download lists, account histories and proofs', roles: ['admin', 'payouts', 'auditor'] },
    'see-staff': { label: 'See the members of staff', roles: ['admin', 'auditor'] },
    'manage-staff': { label: 'Issue, change, replace and revoke access keys, and keys of programs', roles: ['admin'] },
  },
  routes: staffRoutes,
})
