/** What people call this provider: in replies, on the pages, and in the sentences about its deliveries. */
export const displayName = 'Razorpay';
