/** PNG is the beginning of such an image, in base64. */
export const PNG = "iVBORw0KGgoAAAANSUhEUg==";
