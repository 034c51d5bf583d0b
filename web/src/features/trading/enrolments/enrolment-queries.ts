import { enrolmentRoutes } from '#services/trading/enrolments/enrolment-api.ts'
import { sendAndParse } from '@/api/api.ts'
import { staffChange } from '@/features/frame/staff-change.ts'
import type { UserName } from '@/features/frame/staff-change.ts'

/** Enrols a user in the newest published version of a programme. */
export const enrolTrader = staffChange({
  send: ({ id, programme }: UserName & { readonly programme: string }) =>
    sendAndParse(enrolmentRoutes.enrolTrader, { params: { id }, body: { programme } }),
  done: ({ id, fullName }, { version }) => ['Trader enrolled', `${fullName}: version ${version} of the programme.`, id],
  failed: () => 'The trader was not enrolled',
})
