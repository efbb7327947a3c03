// The texts of the screen that accepts an invitation.
export const inviteMessages = {
  title: "Accept an invitation",
  text: "Choose a password for the address that was invited. It gets an account, or takes over one that never confirmed it.",
  link: "Link of the invitation",
  linkHint: "As it is in the mail; it works for 7 days, and once.",
  noLink: "This is not the link of an invitation.",
  action: "Accept",
  back: "Back to the sign-in",
};
