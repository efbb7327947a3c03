import "swagger-ui-dist/swagger-ui.css";

export { default } from "swagger-ui-dist/swagger-ui-es-bundle.js";
