import { mutationOptions } from '@tanstack/react-query'
import { type OwnEnrolment, ownEnrolmentRoutes } from '#services/trading/enrolments/own-enrolment-api.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'

/** The trader's own enrolments, with the terms of each. */
export const ownEnrolmentsQuery = routeQuery(ownEnrolmentRoutes.ownEnrolments, { subjects: ['enrolments'] })

/** Accepts the terms of an enrolment: those that are shown. */
export const acceptTerms = mutationOptions({
  mutationFn: ({ id, hash }: Pick<OwnEnrolment, 'id' | 'hash'>) =>
    send(ownEnrolmentRoutes.acceptTerms, { params: { id }, body: { hash } }),
  onSuccess: (_answer, _enrolment, _before, { client }) =>
    client.invalidateQueries({ queryKey: ownEnrolmentsQuery.queryKey }),
})
