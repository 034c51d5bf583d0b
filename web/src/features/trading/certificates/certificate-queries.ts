import { mutationOptions, type UseMutationOptions } from '@tanstack/react-query'
import { certificateRoutes, type CertificateSharing } from '#services/trading/certificates/certificate-api.ts'
import { messageOf } from '@/api/api-error.ts'
import { send } from '@/api/api.ts'
import { routeQuery } from '@/api/route-query.ts'
import { toast, toastFailure } from '@/toast.ts'

/** The trader's own certificates, of all accounts. */
export const certificatesQuery = routeQuery(certificateRoutes.ownCertificates, { subjects: ['certificates'] })

const sharingChange = <Input>(change: UseMutationOptions<void, Error, Input>) =>
  mutationOptions({
    ...change,
    onError: (error) => toastFailure('Update failed', messageOf(error)),
    onSettled: (_answer, _error, _input, _before, { client }) =>
      client.invalidateQueries({ queryKey: certificatesQuery.queryKey }),
  })

/** Makes the public link of a certificate, or changes what its page shows. It is pending until the list shows it. */
export const shareCertificate = sharingChange({
  mutationFn: ({ id, ...body }: CertificateSharing & { readonly id: string }) =>
    send(certificateRoutes.shareCertificate, { params: { id }, body }),
})

/** Ends the public link of a certificate. */
export const endSharing = sharingChange({
  mutationFn: (id: string) => send(certificateRoutes.endCertificateSharing, { params: { id } }),
  onSuccess: () => toast('No longer shared', 'The link does not work any more.'),
})
