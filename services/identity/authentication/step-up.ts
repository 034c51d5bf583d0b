import type { Request } from 'express'
import type { AuthenticatedCaller } from '#services/framework/http/caller.ts'
import { HttpError } from '#services/framework/http/http-errors.ts'
import type { Config } from '#services/process/config.ts'
import type { Confirmations } from './confirmations.ts'

interface SteppingUp {
  readonly caller: AuthenticatedCaller
  readonly request: Request
}

/** Whether a person has a second factor. */
export type OwnsSecondFactor = (caller: AuthenticatedCaller) => Promise<boolean>

export type StepUp = ReturnType<typeof createStepUp>

/** Step-up: what is sensitive needs a confirmation of the last 5 minutes (ASVS 7.5.3). Signing in counts as one. */
export function createStepUp({
  confirmations,
  config,
  ownsSecondFactor,
}: {
  readonly confirmations: Confirmations
  readonly config: Pick<Config, 'requireStaffSecondFactor'>
  readonly ownsSecondFactor: OwnsSecondFactor
}) {
  const applies = async (caller: AuthenticatedCaller): Promise<boolean> => {
    return (caller.kind === 'admin' && config.requireStaffSecondFactor) || ownsSecondFactor(caller)
  }
  /**
   * For changes of second factors: everyone is asked, because a first factor locks others out.
   *
   * @throws {HttpError} 403 'confirmation-required'
   */
  const assertConfirmedAlways = ({ caller, request }: SteppingUp): void => {
    if (!confirmations.isConfirmed(request, caller.session))
      throw new HttpError(403, {
        message: 'Please confirm that it is you, then try again',
        code: 'confirmation-required',
      })
  }
  return {
    assertConfirmedAlways,
    /**
     * For sensitive actions. The rule: only people with a second factor are asked, and staff where the firm requires
     * one. So scripts of people without second factors need no change.
     *
     * @param isSensitive Asked last, for what depends on the content of the call.
     * @throws {HttpError} 403 'confirmation-required'
     */
    async assertConfirmed(call: SteppingUp, isSensitive = async () => true): Promise<void> {
      // First what costs nothing.
      if (confirmations.isConfirmed(call.request, call.caller.session)) return
      if ((await applies(call.caller)) && (await isSensitive())) assertConfirmedAlways(call)
    },
  }
}
