import { subject } from '#services/framework/subject.ts'
import { accessKeyDescriptions, administratorsDescriptions, staffShown } from './access-key-descriptions.ts'
import { adminKeyEvents, adminKeyStreams } from './access-key.ts'
import { administrators, administratorsEvents } from './administrators.ts'
import { staffRoutes } from './staff-api.ts'

/** Staff: the half that runs anywhere. */
export const staffSubject = subject({
  title: 'Staff',
  about: 'The members of staff, and their access keys',
  events: { ...adminKeyEvents, ...administratorsEvents },
  aggregates: [adminKeyStreams, administrators],
  descriptions: { ...accessKeyDescriptions, ...administratorsDescriptions },
  shown: staffShown,
  categories: {
    signIns: { label: 'Sign-ins of administrators', group: 'firm', staffOnly: true, isDecision: false },
    accessKeys: { label: 'Access keys', group: 'firm', staffOnly: true, isDecision: true },
  },
  routes: staffRoutes,
})
