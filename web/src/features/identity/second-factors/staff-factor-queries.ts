import { factorRoutes } from '#services/identity/second-factors/second-factor-api.ts'
import { send } from '@/api/api.ts'
import { staffChange } from '@/features/shell/staff-change.ts'
import type { UserName } from '@/features/trading/traders/user-queries.ts'

/** Removes the second factors of a trader who lost them. */
export const removeUserFactors = staffChange({
  send: ({ id }: UserName) => send(factorRoutes.removeUserFactors, { params: { id } }),
  done: ({ id, fullName }) => ['Second factors removed', `${fullName} signs in with the password alone.`, id],
  failed: () => 'Update failed',
})
